#include <renkei/lib/core/dtype.h>

#include <array>

#include <renkei/lib/core/error.h>

namespace renkei {
namespace {

struct Facts {
  std::string_view name;
  std::int64_t size;
  bool floating;
};

// In the order of the enumeration.
constexpr std::array<Facts, 8> kFacts{{{"float32", 4, true},
                                       {"float64", 8, true},
                                       {"float16", 2, true},
                                       {"bfloat16", 2, true},
                                       {"int32", 4, false},
                                       {"int64", 8, false},
                                       {"uint8", 1, false},
                                       {"bool", 1, false}}};

const Facts& facts(Dtype dtype) { return kFacts[static_cast<std::size_t>(dtype)]; }

}  // namespace

std::int64_t size_of(Dtype dtype) { return facts(dtype).size; }
std::string name_of(Dtype dtype) { return std::string{facts(dtype).name}; }
bool is_floating(Dtype dtype) { return facts(dtype).floating; }

Dtype dtype_named(std::string_view name) {
  for (std::size_t i = 0; i < kFacts.size(); ++i)
    if (kFacts[i].name == name) return static_cast<Dtype>(i);
  throw ValueError{"dtype", name, "float32, float64, float16, bfloat16, int32, int64, uint8 or bool"};
}

void throw_not_arithmetic(std::string_view where, Dtype dtype) {
  throw DtypeError{where, {{"x", dtype}}, "float32 or float64 (cast first)"};
}

void throw_not_label(std::string_view where, Dtype dtype) {
  throw DtypeError{where, {{"t", dtype}}, "integer labels: int32, int64 or uint8"};
}

}  // namespace renkei
