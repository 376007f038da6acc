// Benchmarks of whole training steps: get a batch, forward, backward, update.
//   build/test/bench --list
//   build/test/bench --only W1 --device cpu --threads 2 --json
//   build/test/bench --only W1 --epoch          exactly one epoch, then exit: time the process from outside
//   build/test/bench --only W1 --floor          only the part of a step that no trainer can leave out
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <sstream>

#include <boost/program_options.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/renkei.h>

#include "floor.h"
#include "workload.h"

using namespace renkei;
using Clock = std::chrono::steady_clock;

namespace {

struct Figures {
  double startup_ms = 0;  // process start to the end of the first step
  double step_ms = 0;     // median after the warm-up
  double fastest_ms = 0;  // on a disturbed machine it says more
  double page_faults_per_step = 0;
  double reserved_bytes_per_step = 0;  // asked of the operating system by the device's allocator
  std::int64_t peak_rss_mb = 0;
};

/// Seconds since this process was started by the kernel, in its own resolution of 10 ms.
double seconds_since_process_start() {
  std::ifstream stat{"/proc/self/stat"};
  const std::string line{std::istreambuf_iterator<char>{stat}, {}};
  std::istringstream fields{line.substr(line.rfind(')') + 2)};
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  double started = 0, now = 0;
  fields >> started;
  std::ifstream{"/proc/uptime"} >> now;
  return now - started / static_cast<double>(sysconf(_SC_CLK_TCK));
}

rusage usage() {
  rusage result{};
  getrusage(RUSAGE_SELF, &result);
  return result;
}

std::unique_ptr<Optimizer> make_optimizer(const Workload& workload) {
  if (workload.adam) return std::make_unique<optimizers::Adam>();
  return std::make_unique<optimizers::SGD>(0.01);
}

/// Times `step` after the workload's warm-up.
Figures measure(const std::function<void()>& step, const Workload& workload, Device& device) {
  Figures figures;
  step();
  device.synchronize();
  figures.startup_ms = 1000 * seconds_since_process_start();
  for (int count = 1; count < workload.warm_up; ++count) step();
  device.synchronize();
  const std::int64_t faults_before = usage().ru_minflt;
  const std::size_t reserved_before = device.reserved_bytes();
  std::vector<double> milliseconds(static_cast<std::size_t>(workload.steps));
  for (double& taken : milliseconds) {
    const auto start = Clock::now();
    step();
    device.synchronize();
    taken = std::chrono::duration<double, std::milli>{Clock::now() - start}.count();
  }
  figures.fastest_ms = *std::min_element(milliseconds.begin(), milliseconds.end());
  figures.page_faults_per_step = static_cast<double>(usage().ru_minflt - faults_before) / workload.steps;
  figures.reserved_bytes_per_step = static_cast<double>(device.reserved_bytes() - reserved_before) / workload.steps;
  std::nth_element(milliseconds.begin(), milliseconds.begin() + workload.steps / 2, milliseconds.end());
  figures.step_ms = milliseconds[static_cast<std::size_t>(workload.steps / 2)];
  figures.peak_rss_mb = usage().ru_maxrss / 1024;
  return figures;
}

enum class Task { steps, floor, epoch };

Figures run(const Workload& workload, Device& device, Task task) {
  const DeviceScope scope{device};
  if (task == Task::floor) {
    Floor floor{workload, device};
    return measure([&] { floor.step(); }, workload, device);
  }
  const TupleDataset train = datasets::get_fashion_mnist().first;
  Sequential predictor;
  for (const std::int64_t units : workload.units) {
    predictor.append(links::Linear{units});
    predictor.append(functions::relu);
  }
  predictor.append(links::Linear{10});
  links::Classifier model{std::move(predictor), {.compute_accuracy = false}};
  const auto optimizer = make_optimizer(workload);
  optimizer->setup(model);
  iterators::SerialIterator iterator{train, workload.batch};
  updaters::StandardUpdater updater{iterator, *optimizer, {.device = &device}};

  if (task == Task::steps) return measure([&] { updater.update(); }, workload, device);
  while (updater.epoch() < 1) updater.update();
  return {};
}

void print(const Workload& workload, const Device& device, const Figures& figures, bool json) {
  const double samples_per_s = static_cast<double>(workload.batch) / figures.step_ms * 1000;
  if (json) {
    std::cout << nlohmann::json{{"name", workload.name},
                                {"device", device.name()},
                                {"threads", device.threads()},
                                {"samples_per_s", samples_per_s},
                                {"step_ms", figures.step_ms},
                                {"fastest_ms", figures.fastest_ms},
                                {"peak_rss_mb", figures.peak_rss_mb},
                                {"startup_ms", figures.startup_ms},
                                {"page_faults_per_step", figures.page_faults_per_step},
                                {"reserved_bytes_per_step", figures.reserved_bytes_per_step}}
              << std::endl;
    return;
  }
  fmt::print("{}  {}\n  {:.4f} ms per step, {:.0f} samples/s; first step {:.0f} ms after the start; peak {} MB; "
             "{:.3f} page faults and {:.0f} bytes from the system per step\n",
             workload.name, workload.what, figures.step_ms, samples_per_s, figures.startup_ms, figures.peak_rss_mb,
             figures.page_faults_per_step, figures.reserved_bytes_per_step);
}

int run_all(int argc, char** argv) {
  namespace options = boost::program_options;
  options::options_description flags{"benchmarks of training steps"};
  flags.add_options()("help", "print this")("list", "name the workloads and exit")(
      "only", options::value<std::string>()->default_value("W1,W2,W3"), "workloads, separated by commas")(
      "device", options::value<std::string>()->default_value("cpu"), "device to run on")(
      "threads", options::value<int>()->default_value(1), "host threads of the device")(
      "json", "one JSON object per line")("epoch", "train exactly one epoch and print nothing")(
      "floor", "time only the matrix products and the update of a step: what no trainer can leave out");
  options::variables_map given;
  options::store(options::parse_command_line(argc, argv, flags), given);
  if (given.contains("help")) std::cout << flags;
  if (given.contains("list"))
    for (const Workload& workload : workloads()) fmt::print("{}  {}\n", workload.name, workload.what);
  if (given.contains("help") || given.contains("list")) return 0;

  Device& device = get_device(given["device"].as<std::string>());
  device.set_threads(given["threads"].as<int>());
  const Task task = given.contains("epoch") ? Task::epoch : given.contains("floor") ? Task::floor : Task::steps;
  std::istringstream names{given["only"].as<std::string>()};
  for (std::string name; std::getline(names, name, ',');) {
    const auto workload = std::find_if(workloads().begin(), workloads().end(), [&](const Workload& w) { return w.name == name; });
    if (workload == workloads().end()) throw ValueError{"workload", name, "one that --list names"};
    const Figures figures = run(*workload, device, task);
    if (task != Task::epoch) print(*workload, device, figures, given.contains("json"));
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_all(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << '\n';
    return 2;
  }
}
