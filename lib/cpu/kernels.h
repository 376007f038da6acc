// Registration of the CPU kernels, one function per family, called by the constructor of CpuDevice.
#pragma once

#include <renkei/lib/device/kernel_table.h>

namespace renkei::cpu {

void register_memory_kernels(KernelTable& table);
void register_elementwise_kernels(KernelTable& table);
void register_matmul_kernels(KernelTable& table);
void register_gather_kernels(KernelTable& table);
void register_indexing_kernels(KernelTable& table);
void register_reduction_kernels(KernelTable& table);
void register_extremum_kernels(KernelTable& table);
void register_noise_kernels(KernelTable& table);
void register_softmax_kernels(KernelTable& table);
void register_loss_kernels(KernelTable& table);
void register_optimizer_kernels(KernelTable& table);
void register_random_fill_kernels(KernelTable& table);
void register_optimizer_hook_kernels(KernelTable& table);

}  // namespace renkei::cpu
