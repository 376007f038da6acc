// What the benchmarks train; README.md has the table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

struct Workload {
  std::string name, what;
  std::vector<std::int64_t> units;  // hidden layers
  std::int64_t batch;
  bool adam;
  int warm_up, steps;
};

inline const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all{
      {"W1", "MLP 784-1000-1000-10, Adam, batch 100, Fashion-MNIST", {1000, 1000}, 100, true, 20, 300},
      {"W2", "MLP 784-1000-1000-10, SGD, batch 1000, Fashion-MNIST", {1000, 1000}, 1000, false, 5, 60},
      {"W3", "MLP 784-32-10, SGD, batch 10, Fashion-MNIST", {32}, 10, false, 500, 20000}};
  return all;
}
