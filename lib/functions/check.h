// Checks of operands that many functions share.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include <renkei/lib/autograd/variable.h>
#include <renkei/lib/core/error.h>

namespace renkei::functions {

struct NamedArray {
  std::string_view name;
  const Array& array;
};

/// Throws DtypeError naming all operands unless their dtypes are equal; absent operands are left out.
inline void check_equal_dtypes(std::string_view where, std::initializer_list<NamedArray> operands) {
  const Dtype first = operands.begin()->array.dtype();
  bool equal = true;
  for (const NamedArray& operand : operands) equal = equal && (!operand.array || operand.array.dtype() == first);
  if (equal) return;
  std::vector<NamedDtype> got;
  for (const NamedArray& operand : operands)
    if (operand.array) got.push_back({operand.name, operand.array.dtype()});
  throw DtypeError{where, got, "equal dtypes (cast first)"};
}

}  // namespace renkei::functions
