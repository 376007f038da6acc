// The same values in another type or place.
#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/array.h>
#include <renkei/lib/functions/check.h>
#include <renkei/lib/functions/reduction.h>
#include <renkei/lib/kernels/indexing.h>

namespace renkei::functions {
namespace {

class Cast final : public FunctionNode {
 public:
  explicit Cast(Dtype dtype) : dtype_{dtype} {}
  std::string_view name() const override { return "cast"; }
  Arrays forward(const Arrays& x) override { return {renkei::cast(x[0], dtype_)}; }
  Variables backward(const Variables& gy, const GradRequest&) override { return {cast(gy[0], inputs()[0]->dtype)}; }

 private:
  Dtype dtype_;
};

class Copy final : public FunctionNode {
 public:
  explicit Copy(Device& device) : to_{&device} {}
  std::string_view name() const override { return "copy"; }
  Arrays forward(const Arrays& x) override {
    from_ = &x[0].device();
    return {to_device(x[0], *to_)};
  }
  Variables backward(const Variables& gy, const GradRequest&) override { return {copy(gy[0], *from_)}; }

 private:
  Device* to_;
  Device* from_ = nullptr;
};

class Identity final : public FunctionNode {
 public:
  std::string_view name() const override { return "identity"; }
  Arrays forward(const Arrays& x) override { return x; }
  Variables backward(const Variables& gy, const GradRequest&) override { return gy; }
};

class Where final : public FunctionNode {
 public:
  std::string_view name() const override { return "where"; }
  Arrays forward(const Arrays& inputs) override {  // condition, x, y of one shape
    condition_ = inputs[0];
    const Array result = empty_like(inputs[1]);
    result.device().kernel<kernels::Where>()(inputs[0], inputs[1], inputs[2], result);
    return {result};
  }
  Variables backward(const Variables& g, const GradRequest& request) override {
    const Variable condition{condition_}, zero{zeros_like(g[0].data())};
    return {Variable{}, request.needs(1) ? apply<Where>({condition, g[0], zero}) : Variable{},
            request.needs(2) ? apply<Where>({condition, zero, g[0]}) : Variable{}};
  }

 private:
  Array condition_;
};

}  // namespace

Variable cast(const Variable& x, Dtype dtype) { return x.dtype() == dtype ? x : apply<Cast>({x}, dtype); }
Variable copy(const Variable& x, Device& device) { return &x.device() == &device ? x : apply<Copy>({x}, device); }
Variable identity(const Variable& x) { return apply<Identity>({x}); }

Variable where(const Variable& condition, const Variable& x, const Variable& y) {
  if (condition.dtype() != Dtype::boolean) throw DtypeError{"where", {{"condition", condition.dtype()}}, "bool"};
  check_equal_dtypes("where", {{"x", x.data()}, {"y", y.data()}});
  const Shape shape = broadcast_shapes("where", condition.shape(), broadcast_shapes("where", x.shape(), y.shape()));
  return apply<Where>({broadcast_to(condition, shape), broadcast_to(x, shape), broadcast_to(y, shape)});
}

}  // namespace renkei::functions
