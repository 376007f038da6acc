// Which devices this build has: the one place that knows them all.
#include <map>
#include <mutex>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/cpu/cpu_device.h>
#include <renkei/lib/device/device.h>

namespace renkei {

Device& get_device(std::string_view name) {
  const std::string canonical = canonical_device_name(name);
  // Never destroyed: arrays in static variables may outlive any order of destruction.
  static auto& devices = *new std::map<std::string, std::unique_ptr<Device>>;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock{mutex};
  auto& device = devices[canonical];
  if (!device) {
    if (canonical.starts_with("cuda")) {
      devices.erase(canonical);
      throw DeviceError{fmt::format("device {}: this build of Renkei has no CUDA; use cpu", canonical)};
    }
    device = std::make_unique<cpu::CpuDevice>(canonical);
  }
  return *device;
}

}  // namespace renkei
