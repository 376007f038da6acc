#include <renkei/lib/cpu/onednn_matmul.h>

#include <dnnl.hpp>
#include <omp.h>

#include <unordered_map>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>

namespace renkei::cpu {
namespace {

using dnnl::memory;

struct Key {
  Product product;
  bool with_bias;
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const Product& p = key.product;
    std::size_t hash = p.transa + 2u * p.transb + 4u * key.with_bias;
    for (const std::int64_t number : {p.batch, p.m, p.n, p.k, std::int64_t{p.threads}})
      hash = hash * 1'000'003 + static_cast<std::size_t>(number);
    return hash;
  }
};

/// A primitive with its operands. Making memory objects costs as much as a small product; changing their address
/// costs nothing.
struct Kept {
  dnnl::matmul primitive;
  memory a, b, bias, y;
};

memory::desc matrices(std::int64_t batch, std::int64_t rows, std::int64_t columns, bool transposed) {
  const std::int64_t row = transposed ? 1 : columns, column = transposed ? rows : 1;
  if (batch == 1) return {{rows, columns}, memory::data_type::f32, memory::dims{row, column}};
  return {{batch, rows, columns}, memory::data_type::f32, memory::dims{rows * columns, row, column}};
}

const dnnl::engine& engine() {
  static const dnnl::engine host{dnnl::engine::kind::cpu, 0};
  return host;
}

Kept make(const Key& key) {
  const Product& p = key.product;
  const memory::desc a = matrices(p.batch, p.m, p.k, p.transa), b = matrices(p.batch, p.k, p.n, p.transb);
  const memory::desc y = matrices(p.batch, p.m, p.n, false), bias = matrices(1, 1, p.n, false);
  const dnnl::matmul::desc wanted = key.with_bias ? dnnl::matmul::desc{a, b, bias, y} : dnnl::matmul::desc{a, b, y};
  return {dnnl::matmul{dnnl::matmul::primitive_desc{wanted, engine()}}, memory{a, engine(), nullptr},
          memory{b, engine(), nullptr}, memory{bias, engine(), nullptr}, memory{y, engine(), nullptr}};
}

void set(memory& operand, const float* address) {
  dnnl_memory_set_data_handle(operand.get(), const_cast<float*>(address));
}

}  // namespace

void onednn_matmul(const Product& product, const float* a, const float* b, const float* bias, float* y) {
  // One cache per thread: operands hold the addresses of the running call.
  static thread_local std::unordered_map<Key, Kept, KeyHash> cache;
  static thread_local const dnnl::stream stream{engine()};
  omp_set_num_threads(product.threads);
  const Key key{product, bias != nullptr};
  try {
    auto found = cache.find(key);
    if (found == cache.end()) found = cache.emplace(key, make(key)).first;
    Kept& kept = found->second;
    set(kept.a, a);
    set(kept.b, b);
    set(kept.y, y);
    if (bias) set(kept.bias, bias);
    const dnnl_exec_arg_t operands[]{{DNNL_ARG_SRC, kept.a.get()},
                                     {DNNL_ARG_WEIGHTS, kept.b.get()},
                                     {DNNL_ARG_DST, kept.y.get()},
                                     {DNNL_ARG_BIAS, kept.bias.get()}};
    dnnl::error::wrap_c_api(dnnl_primitive_execute(kept.primitive.get(), stream.get(), bias ? 4 : 3, operands),
                            "matmul failed");
  } catch (const dnnl::error& error) {
    throw DeviceError{fmt::format("cpu: oneDNN refused the product of {} matrices ({}, {}) and ({}, {}): {}",
                                  product.batch, product.m, product.k, product.k, product.n, error.what())};
  }
}

}  // namespace renkei::cpu
