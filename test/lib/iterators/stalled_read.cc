// A program whose data set never comes back from reading example 13: it has to end all the same, with the error.
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/iterators/multithread_iterator.h>

using namespace renkei;

namespace {

class DeadDisk : public Dataset {
 public:
  std::int64_t size() const override { return 100; }
  Arrays get(std::int64_t i) const override {
    while (i == 13) std::this_thread::sleep_for(std::chrono::hours{1});
    return {to_array<float>({static_cast<float>(i)}, {})};
  }
};

}  // namespace

int main() {
  static const DeadDisk dataset;
  iterators::MultithreadIterator iterator{dataset, 4, {.shuffle = false, .n_threads = 2, .timeout_seconds = 0.5}};
  try {
    while (iterator.next()) {}
  } catch (const TimeoutError& error) {
    std::puts(error.what());
    const bool named = std::string_view{error.what()}.find("example 13") != std::string_view::npos;
    return named && iterator.samples_seen() == 12 ? 0 : 1;
  }
  return 1;
}
