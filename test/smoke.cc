#include <cstdio>
#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/activation.h>
#include <renkei/lib/autograd/config.h>
using namespace renkei;
int main() {
  Variable x{to_array<float>({-1, 2, 3}, {3}), RequiresGrad::yes};
  auto y = functions::relu(x);
  y.set_grad(Variable{to_array<float>({1, 5, 7}, {3})});
  y.backward({.retain_grad = true});
  for (float v : to_vector<float>(x.grad().data())) std::printf("%g ", v);
  Variable z = x;
  for (int i = 0; i < 100000; ++i) z = functions::relu(z);
  z.set_grad(Variable{to_array<float>({1, 5, 7}, {3})});
  z.backward();
  for (float v : to_vector<float>(x.grad().data())) std::printf("%g ", v);
  try { get_device("cuda:0"); } catch (const std::exception& e) { std::printf("%s\n", e.what()); }
}
