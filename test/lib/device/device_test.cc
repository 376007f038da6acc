#include <thread>

#include <renkei/lib/device/creation.h>

#include "support/throws.h"

using namespace renkei;
using renkei::test::check_error;

TEST_CASE("device names are read in Renkei's and in Chainer's spelling") {
  for (const auto* name : {"cpu", "cpu:0", "-1", "-7", "@numpy", "native", "native:0"}) CHECK(canonical_device_name(name) == "cpu");
  CHECK(canonical_device_name("cpu:2") == "cpu:2");
  for (const auto* name : {"0", "cuda", "cuda:0", "@cupy:0"}) CHECK(canonical_device_name(name) == "cuda:0");
  for (const auto* name : {"", "gpu", "cuda:", "cuda:x", "cpu:-1", "@cupy", "cuda:0x"})
    check_error<ValueError>([&] { canonical_device_name(name); }, {"device", "cpu"});
}

TEST_CASE("a build without CUDA says so when asked for a GPU") {
  check_error<DeviceError>([] { get_device("cuda:0"); }, {"cuda:0", "no CUDA"});
}

TEST_CASE("a device is one object for the life of the program") {
  CHECK(&get_device("cpu") == &get_device("-1"));
  CHECK(&get_device("cpu") != &get_device("cpu:1"));
  CHECK(get_device("cpu:1").name() == "cpu:1");
}

TEST_CASE("a device scope changes the current device of its own thread only") {
  Device& other = get_device("cpu:1");
  {
    const DeviceScope scope{other};
    CHECK(&zeros({1}, Dtype::float32).device() == &other);
    std::thread{[] { CHECK(current_device().name() == "cpu"); }}.join();
  }
  CHECK(current_device().name() == "cpu");
}

struct MissingKernel {
  static constexpr std::string_view kName = "missing_kernel";
  using Fn = void();
};

TEST_CASE("a missing kernel names itself and the device") {
  check_error<DeviceError>([] { get_device("cpu").kernel<MissingKernel>()(); }, {"missing_kernel", "cpu"});
}
