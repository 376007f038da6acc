// Chainer's functions by name, each called with the arguments of a golden case.
#pragma once

#include <functional>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include <renkei/lib/autograd/variable.h>

namespace golden {

/// Arguments of a case: arrays in order with their names, the rest by name.
struct FunctionCall {
  const nlohmann::json& params;
  const renkei::Variables& inputs;
  const std::vector<std::string>& names;

  const renkei::Variable& input(std::string_view name) const;  ///< absent if the case has none
};

using GoldenFunction = std::function<renkei::Variables(const FunctionCall&)>;

const std::map<std::string, GoldenFunction>& function_table();

/// The small expressions of the `graph` cases, by id.
const std::map<std::string, GoldenFunction>& graph_table();

}  // namespace golden
