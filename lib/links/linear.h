// The fully connected layer.
#pragma once

#include <optional>

#include <renkei/lib/links/link.h>

namespace renkei::links {

struct LinearOptions {
  bool nobias = false;
  Initializer initialW = {};        ///< none: LeCunNormal
  Initializer initial_bias = {};    ///< none: zeros
  int n_batch_axes = 1;             ///< leading axes of x that are kept; the others are flattened
};

/// y = x W^T + b.   x (batch axes..., rest...)   W (out, in)   b (out)   ->   y (batch axes..., out)
/// Without `in_size` the first x decides it. Errors of the call name x and W and blame this link.
class Linear : public Link {
 public:
  explicit Linear(std::int64_t out_size, const LinearOptions& options = {});
  Linear(std::int64_t in_size, std::int64_t out_size, const LinearOptions& options = {});
  Linear(Chain& parent, const std::string& name, std::int64_t out_size, const LinearOptions& options = {});
  Linear(Chain& parent, const std::string& name, std::int64_t in_size, std::int64_t out_size,
         const LinearOptions& options = {});

  Variable operator()(const Variable& x);

  renkei::Parameter W, b;

 private:
  Linear(Chain* parent, const std::string& name, std::optional<std::int64_t> in_size, std::int64_t out_size,
         const LinearOptions& options);

  std::int64_t out_size_;
  int n_batch_axes_;
};

}  // namespace renkei::links
