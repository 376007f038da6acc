#include <catch2/catch.hpp>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/autograd/gradient_check.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/arithmetic.h>
#include <support/throws.h>

using namespace renkei;

namespace {

/// x^2 whose gradient is right but for a factor at one position, and whose gradient's gradient may be missing.
class CrookedSquare final : public FunctionNode {
 public:
  explicit CrookedSquare(double factor, bool differentiable) : factor_{factor}, differentiable_{differentiable} {}
  std::string_view name() const override { return "crooked_square"; }
  Arrays forward(const Arrays& x) override {
    retain_inputs({0});
    return {functions::square(x[0]).data()};
  }
  Variables backward(const Variables& gy, const GradRequest&) override {
    const Variable x = retained_input(0), mask = to_array<double>({2, 2, 2, 2, 2, 2 * factor_}, {2, 3});
    const Variable gx = gy[0] * (differentiable_ ? x : x.detach()) * mask;
    return {gx};
  }

 private:
  double factor_;
  bool differentiable_;
};

Array input() { return to_array<double>({.5, -1, 2, .25, 3, 1.5}, {2, 3}); }

VariablesFunction crooked(double factor, bool differentiable) {
  return [=](const Variables& x) { return Variables{apply<CrookedSquare>({x[0]}, factor, differentiable)}; };
}

}  // namespace

TEST_CASE("a right gradient passes the check") {
  check_backward(crooked(1, true), {input()});
  check_double_backward(crooked(1, true), {input()});
}

TEST_CASE("a wrong gradient fails the check, which names input, position and both numbers") {
  const std::string text = test::error_text<GradientError>([] { check_backward(crooked(1.01, true), {input()}); });
  CHECK_THAT(text, Catch::Contains("input 0 of shape (2, 3) at (1, 2)") && Catch::Contains("backward gives") &&
                       Catch::Contains("central difference"));
}

TEST_CASE("a missing second derivative fails the second-order check") {
  check_backward(crooked(1, false), {input()});
  CHECK_THROWS_AS(check_double_backward(crooked(1, false), {input()}), GradientError);
}

TEST_CASE("a gradient that is NaN fails the check") {
  CHECK_THROWS_AS(check_backward(crooked(NAN, true), {input()}), GradientError);
}

TEST_CASE("the gradient check wants float64") {
  test::check_error<DtypeError>([] { check_backward(crooked(1, true), {to_array<float>({1}, {1})}); }, {"float32", "float64"});
}
