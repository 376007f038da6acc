#include <renkei/lib/links/linear.h>

#include <fmt/format.h>

#include <renkei/lib/functions/connection.h>
#include <renkei/lib/links/initializers.h>

namespace renkei::links {

namespace {

Initializer or_default(const Initializer& given, const Initializer& otherwise) { return given ? given : otherwise; }

}  // namespace

Linear::Linear(Chain* parent, const std::string& name, std::optional<std::int64_t> in_size, std::int64_t out_size,
               const LinearOptions& options)
    : Link{parent, name},
      W{*this, "W", or_default(options.initialW, initializers::LeCunNormal{})},
      b{options.nobias ? Parameter{} : Parameter{*this, "b", or_default(options.initial_bias, 0)}},
      out_size_{out_size},
      n_batch_axes_{options.n_batch_axes} {
  if (out_size < 1) throw ValueError{"Linear: out_size", out_size, "at least 1"};
  if (in_size && *in_size < 1) throw ValueError{"Linear: in_size", *in_size, "at least 1"};
  if (n_batch_axes_ < 1) throw ValueError{"Linear: n_batch_axes", n_batch_axes_, "at least 1"};
  if (in_size) W.initialize({out_size, *in_size});
  if (b) b.initialize({out_size});
}

Linear::Linear(std::int64_t out_size, const LinearOptions& options)
    : Linear{nullptr, "", std::nullopt, out_size, options} {}

Linear::Linear(std::int64_t in_size, std::int64_t out_size, const LinearOptions& options)
    : Linear{nullptr, "", in_size, out_size, options} {}

Linear::Linear(Chain& parent, const std::string& name, std::int64_t out_size, const LinearOptions& options)
    : Linear{&parent, name, std::nullopt, out_size, options} {}

Linear::Linear(Chain& parent, const std::string& name, std::int64_t in_size, std::int64_t out_size,
               const LinearOptions& options)
    : Linear{&parent, name, in_size, out_size, options} {}

Variable Linear::operator()(const Variable& x) {
  return blaming([&] {
    const Shape& shape = x.shape();
    if (shape.ndim() < n_batch_axes_)
      throw ShapeError{"Linear", {{"x", shape}}, fmt::format("at least its {} batch axes", n_batch_axes_)};
    if (!W.is_initialized()) W.initialize({out_size_, shape.product(n_batch_axes_, shape.ndim())});
    return functions::linear(x, W, b, n_batch_axes_);
  });
}

}  // namespace renkei::links
