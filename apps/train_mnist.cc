// A multi-layer perceptron on Fashion-MNIST or MNIST: Chainer's first example in C++.
#include <cstdio>

#include <renkei/renkei.h>

using namespace renkei;

struct MLP : Chain {
  explicit MLP(std::int64_t unit) : n_units{unit} {}
  std::int64_t n_units;
  links::Linear l1{*this, "l1", n_units}, l2{*this, "l2", n_units}, l3{*this, "l3", 10};  // input sizes are inferred

  Variable forward(const Variable& x) { return l3(functions::relu(l2(functions::relu(l1(x))))); }
};

std::unique_ptr<Optimizer> make_optimizer(const std::string& name) {
  if (name == "sgd") return std::make_unique<optimizers::SGD>();
  if (name == "momentum") return std::make_unique<optimizers::MomentumSGD>();
  return std::make_unique<optimizers::Adam>();
}

void train(const Arguments& args) {
  if (args.devices.size() > 1) throw DeviceError{"--devices: this program trains on one device; give main alone"};
  std::printf("Device: %s\n# unit: %ld\n# Minibatch-size: %ld\n# epoch: %ld\n\n", args.devices.main().name().c_str(), args.unit,
              args.batchsize, args.epoch);
  std::fflush(stdout);

  links::Classifier model{MLP{args.unit}};
  if (!args.init.empty()) load_npz(args.init, model);
  const auto optimizer = make_optimizer(args.optimizer);
  optimizer->setup(model);

  const datasets::MnistOptions options{.data_dir = args.data_dir, .train_size = args.train_size, .test_size = args.test_size};
  const auto [train, test] = args.dataset == "mnist" ? datasets::get_mnist(options) : datasets::get_fashion_mnist(options);
  iterators::SerialIterator train_iter{train, args.batchsize, {.shuffle = args.shuffle}};
  iterators::SerialIterator test_iter{test, args.batchsize, {.repeat = false, .shuffle = false}};

  updaters::StandardUpdater updater{train_iter, *optimizer};
  Trainer trainer{updater, {args.epoch, "epoch"}, args.out};
  const auto frequency = args.frequency == -1 ? args.epoch : args.frequency;
  trainer.extend(extensions::Evaluator{test_iter, model});
  trainer.extend(extensions::snapshot({.autoload = args.autoload}), {.trigger = {frequency, "epoch"}});
  trainer.extend(extensions::LogReport{});
  trainer.extend(extensions::PrintReport{{"epoch", "main/loss", "validation/main/loss", "main/accuracy",
                                          "validation/main/accuracy", "elapsed_time"}});
  trainer.extend(extensions::ProgressBar{});
  if (!args.resume.empty()) trainer.resume(args.resume);
  trainer.run();
}

int main(int argc, char** argv) { return run_program(argc, argv, train); }
