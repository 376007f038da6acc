// Dictionary: the state of objects as a flat map from path to value, the content of one .npz file.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <renkei/lib/core/array.h>

namespace renkei {

/// Stands for "there is nothing": a parameter without a shape. Chainer writes it as a pickled None.
struct None {
  bool operator==(const None&) const = default;
};

using Value = std::variant<None, bool, std::int64_t, double, std::string, Array>;
using Dictionary = std::map<std::string, Value, std::less<>>;

/// "None", "integer 5", "text of 3 characters", "float32 array of shape (2, 3)": for messages.
std::string describe(const Value& value);

/// The stored value as an array: scalars become arrays of shape () on the CPU; text and None give no array.
Array as_array(const Value& value);

/// Whether both have the same kind, dtype, shape and bits: NaN equals itself, 0 and -0 differ.
bool identical(const Value& a, const Value& b);

/// The keys whose values are not identical, or that only one of the two has. Sorted.
std::vector<std::string> differences(const Dictionary& a, const Dictionary& b);

}  // namespace renkei
