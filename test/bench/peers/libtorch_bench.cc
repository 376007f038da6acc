// Trains W1, W2 or W3 in libtorch as fast as its public interface allows, and prints one JSON line: the C++ twin of
// torch_bench.py, with the same options and fields. The process environment is chosen by compare.py, which also
// compiles this file.

#include <sys/resource.h>
#include <time.h>
#include <torch/torch.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Workload {
  std::vector<int64_t> sizes;
  int64_t batch_size;
  bool adam;
};

const std::map<std::string, Workload> kWorkloads = {
    {"W1", {{784, 1000, 1000, 10}, 100, true}},
    {"W2", {{784, 1000, 1000, 10}, 1000, false}},
    {"W3", {{784, 32, 10}, 10, false}},
};

struct Options {
  std::string only, data_dir;
  int threads = 1;
  double seconds = 2;
  bool epoch = false, keep_float = true;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--epoch") {
      options.epoch = true;
      continue;
    }
    if (i + 1 == argc) throw std::invalid_argument(flag + " is unknown or lacks its value");
    const std::string value = argv[++i];
    if (flag == "--only") options.only = value;
    else if (flag == "--data-dir") options.data_dir = value;
    else if (flag == "--threads") options.threads = std::stoi(value);
    else if (flag == "--seconds") options.seconds = std::stod(value);
    else if (flag == "--data") options.keep_float = value == "float";
    else throw std::invalid_argument("unknown flag " + flag);
  }
  if (!kWorkloads.count(options.only)) throw std::invalid_argument("--only W1, W2 or W3 is needed");
  return options;
}

double now_ms() {
  using namespace std::chrono;
  return duration<double, std::milli>(steady_clock::now().time_since_epoch()).count();
}

double ms_since_process_start() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;  // the last one read is field 22 of the file: ticks since boot
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6 - std::stod(field) * 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

// Reads a gzipped IDX file whose header and content sizes are known.
torch::Tensor read_idx(const std::string& path, int64_t header, int64_t size) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw std::runtime_error("cannot open " + path);
  std::vector<char> packed(static_cast<size_t>(file.tellg()));
  file.seekg(0);
  file.read(packed.data(), static_cast<std::streamsize>(packed.size()));

  auto content = torch::empty({header + size}, torch::kUInt8);
  z_stream stream{};
  inflateInit2(&stream, 31);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = content.data_ptr<uint8_t>();
  stream.avail_out = static_cast<uInt>(header + size);
  const int status = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  if (status != Z_STREAM_END) throw std::runtime_error("cannot inflate " + path);
  return content.slice(0, header);
}

// Shuffled batches without end; a new order each epoch.
class Batches {
 public:
  Batches(torch::Tensor images, torch::Tensor labels, int64_t batch_size)
      : images_(std::move(images)), labels_(std::move(labels)), batch_size_(batch_size), position_(labels_.size(0)) {}

  std::pair<torch::Tensor, torch::Tensor> next() {
    if (position_ + batch_size_ > labels_.size(0)) {
      order_ = torch::randperm(labels_.size(0));
      position_ = 0;
    }
    const auto index = order_.slice(0, position_, position_ + batch_size_);
    position_ += batch_size_;
    auto x = images_.index_select(0, index);
    if (x.scalar_type() == torch::kUInt8) x = x.to(torch::kFloat32).mul_(1.f / 255);
    return {x, labels_.index_select(0, index)};
  }

 private:
  torch::Tensor images_, labels_, order_;
  int64_t batch_size_, position_;
};

struct Mlp : torch::nn::Module {
  explicit Mlp(const std::vector<int64_t>& sizes) {
    for (size_t i = 0; i + 1 < sizes.size(); ++i)
      layers.push_back(register_module("l" + std::to_string(i + 1), torch::nn::Linear(sizes[i], sizes[i + 1])));
  }
  torch::Tensor forward(torch::Tensor x) {
    for (size_t i = 0; i + 1 < layers.size(); ++i) x = torch::relu(layers[i]->forward(x));
    return layers.back()->forward(x);
  }
  std::vector<torch::nn::Linear> layers;
};

std::unique_ptr<torch::optim::Optimizer> make_optimizer(std::vector<torch::Tensor> parameters, bool adam) {
  using namespace torch::optim;
  if (adam) return std::make_unique<Adam>(std::move(parameters), AdamOptions(1e-3));
  return std::make_unique<SGD>(std::move(parameters), SGDOptions(0.01));
}

void run(const Options& options) {
  torch::set_num_threads(options.threads);
  torch::set_num_interop_threads(1);
  torch::manual_seed(0);
  const Workload& workload = kWorkloads.at(options.only);

  auto images = read_idx(options.data_dir + "/train-images-idx3-ubyte.gz", 16, 60000 * 784).view({-1, 784});
  const auto labels = read_idx(options.data_dir + "/train-labels-idx1-ubyte.gz", 8, 60000).to(torch::kInt64);
  if (options.keep_float) images = images.to(torch::kFloat32).mul_(1.f / 255);
  Batches batches(images, labels, workload.batch_size);

  Mlp model(workload.sizes);
  auto parameters = model.parameters();
  const auto optimizer = make_optimizer(parameters, workload.adam);
  const auto step = [&] {
    const auto [x, t] = batches.next();
    const auto loss = torch::nn::functional::cross_entropy(model.forward(x), t);
    for (auto& parameter : parameters) parameter.mutable_grad().reset();  // zero_grad with set_to_none
    loss.backward();
    optimizer->step();
    return loss;
  };

  auto loss = step();
  const double first_loss = loss.item<double>();
  const double startup_ms = ms_since_process_start();

  std::vector<double> durations;
  if (options.epoch) {
    for (int64_t i = 1; i < labels.size(0) / workload.batch_size; ++i) loss = step();
  } else {
    for (const double until = now_ms() + options.seconds * 250; now_ms() < until;) step();
    double before = now_ms();
    for (const double stop = before + options.seconds * 1e3; before < stop || durations.size() < 5;) {
      loss = step();
      const double after = now_ms();
      durations.push_back(after - before);
      before = after;
    }
  }

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("{\"name\": \"%s\", \"startup_ms\": %.1f, \"version\": \"%s\", ", options.only.c_str(), startup_ms,
              TORCH_VERSION);
  if (!durations.empty()) {
    std::sort(durations.begin(), durations.end());
    const double median = durations[durations.size() / 2];
    std::printf("\"step_ms\": %.5f, \"fastest_ms\": %.5f, \"samples_per_s\": %.1f, \"steps\": %zu, ", median,
                durations.front(), workload.batch_size / median * 1e3, durations.size());
  }
  std::printf("\"peak_rss_mb\": %.1f, \"first_loss\": %.4f, \"last_loss\": %.4f}\n", usage.ru_maxrss / 1024.0,
              first_loss, loss.item<double>());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "libtorch_bench: %s\n", error.what());
    return 2;
  }
}
