// The part of a training step that no trainer can leave out: its matrix products and one pass of the optimizer.
#pragma once

#include <span>
#include <vector>

#include <renkei/renkei.h>

#include "workload.h"

/// Runs the products and the update of a multi-layer perceptron's step on arrays of their own: no batch, no graph, no
/// activation, no bias, no loss. What a whole step takes beyond this is what the framework costs.
class Floor {
 public:
  Floor(const Workload& workload, renkei::Device& device);
  void step();

 private:
  void product(const renkei::Array& a, bool transa, const renkei::Array& b, bool transb, const renkei::Array& y);
  void update();

  renkei::Device* device_;
  bool adam_;
  renkei::Array parameters_, gradients_;         // flat, as the arena of a model
  std::vector<renkei::Array> states_;            // of the optimizer
  std::vector<renkei::Array> weights_, slopes_;  // of each layer, in the two arrays above
  std::vector<renkei::Array> values_, errors_;   // between the layers: (batch, units), input first
};
