// Marks functors that all devices compile: plain functions to a C++ compiler, functions of both sides to nvcc.
#pragma once

#ifdef __CUDACC__
#define RENKEI_HOST_DEVICE __host__ __device__
#else
#define RENKEI_HOST_DEVICE
#endif
