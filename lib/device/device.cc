#include <renkei/lib/device/device.h>

#include <atomic>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei {
namespace {

thread_local Device* g_current = nullptr;

std::optional<int> to_number(std::string_view text) {
  int number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string numbered(std::string_view kind, int number) {
  if (number == 0 && kind == "cpu") return "cpu";
  return fmt::format("{}:{}", kind, number);
}

}  // namespace

void throw_no_kernel(std::string_view kernel, const Device& device) {
  throw DeviceError{fmt::format("{} has no kernel on device {}", kernel, device.name())};
}

void Device::set_threads(int threads) {
  throw DeviceError{fmt::format("device {} does not compute on host threads; cannot set {}", name_, threads)};
}

std::size_t KernelTable::next_slot() {
  static std::atomic<std::size_t> count{0};
  return count++;
}

std::string canonical_device_name(std::string_view name) {
  const auto number = to_number(name);
  if (number) return *number < 0 ? "cpu" : numbered("cuda", *number);
  if (name == "cpu" || name == "native" || name == "@numpy") return "cpu";
  if (name == "cuda") return "cuda:0";
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view kind = name.substr(0, colon);
    const auto index = to_number(name.substr(colon + 1));
    if (index && *index >= 0) {
      if (kind == "cpu" || kind == "native") return numbered("cpu", *index);
      if (kind == "cuda" || kind == "@cupy") return numbered("cuda", *index);
    }
  }
  throw ValueError{"device", name, "cpu, cpu:N, cuda:N (or Chainer's -1, N, @numpy, @cupy:N, native)"};
}

Device& current_device() {
  if (!g_current) g_current = &get_device("cpu");
  return *g_current;
}

DeviceScope::DeviceScope(Device& device) : previous_{g_current} { g_current = &device; }
DeviceScope::~DeviceScope() { g_current = previous_; }

}  // namespace renkei
