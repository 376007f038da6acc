#include <renkei/lib/cpu/cpu_device.h>

#include <omp.h>

#include <cstring>

#include <renkei/lib/core/error.h>
#include <renkei/lib/cpu/kernels.h>

namespace renkei::cpu {
namespace {

class CpuStorage final : public Storage {
 public:
  CpuStorage(Device& device, CachingAllocator& allocator, std::size_t bytes)
      : Storage{device, allocator.allocate(bytes), bytes}, allocator_{allocator} {}
  ~CpuStorage() override { allocator_.free(data(), bytes()); }

 private:
  CachingAllocator& allocator_;
};

}  // namespace

CpuDevice::CpuDevice(std::string name) : Device{std::move(name)}, threads_{omp_get_max_threads()} {
  register_memory_kernels(kernels_);
  register_elementwise_kernels(kernels_);
  register_matmul_kernels(kernels_);
  register_gather_kernels(kernels_);
  register_indexing_kernels(kernels_);
  register_reduction_kernels(kernels_);
  register_extremum_kernels(kernels_);
  register_noise_kernels(kernels_);
  register_softmax_kernels(kernels_);
  register_loss_kernels(kernels_);
  register_optimizer_kernels(kernels_);
  register_random_fill_kernels(kernels_);
  register_optimizer_hook_kernels(kernels_);
}

std::shared_ptr<Storage> CpuDevice::allocate(std::size_t bytes) {
  return std::make_shared<CpuStorage>(*this, allocator_, bytes);
}

void CpuDevice::copy_from_host(std::byte* device, const std::byte* host, std::size_t bytes) {
  if (bytes > 0) std::memcpy(device, host, bytes);
}

void CpuDevice::copy_to_host(std::byte* host, const std::byte* device, std::size_t bytes) {
  if (bytes > 0) std::memcpy(host, device, bytes);
}

void CpuDevice::set_threads(int threads) {
  if (threads < 1) throw ValueError{"threads", threads, "at least 1"};
  threads_ = threads;
}

}  // namespace renkei::cpu
