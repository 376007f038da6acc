// Hooks of an optimizer: what happens to gradients or parameters before or after each step.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <type_traits>

namespace renkei {

class Optimizer;
class UpdateRule;

enum class HookTiming { pre, post };

struct HookOptions {
  std::string name = {};                     ///< empty: the hook's own, "<lambda>" for a lambda
  std::optional<HookTiming> timing = {};     ///< none: pre
};

/// What an optimizer keeps of a hook: a callable that takes the optimizer, or one that takes each update rule in turn.
struct OptimizerHook {
  std::string name;
  HookTiming timing = HookTiming::pre;
  std::function<void(Optimizer&)> whole = {};
  std::function<void(UpdateRule&)> each = {};

  template <class Hook>
    requires(std::is_invocable_v<Hook&, Optimizer&> || std::is_invocable_v<Hook&, UpdateRule&>)
  static OptimizerHook from(Hook hook, const HookOptions& options) {
    OptimizerHook result{options.name, options.timing.value_or(HookTiming::pre)};
    if (result.name.empty()) {
      if constexpr (requires { Hook::kName; }) result.name = Hook::kName;
      else result.name = "<lambda>";
    }
    if constexpr (std::is_invocable_v<Hook&, UpdateRule&>) result.each = std::move(hook);
    else result.whole = std::move(hook);
    return result;
  }
};

}  // namespace renkei
