// UpdateRule: how an optimizer treats one parameter: its own hyper-parameters, hooks, state, and whether it is frozen.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <renkei/lib/core/array.h>
#include <renkei/lib/optimizers/optimizer_hook.h>

namespace renkei {

struct VariableBody;

class UpdateRule {
 public:
  UpdateRule(Optimizer& optimizer, std::string path, std::shared_ptr<VariableBody> body);
  UpdateRule(const UpdateRule&) = delete;
  UpdateRule& operator=(const UpdateRule&) = delete;

  /// Whether the parameter takes part in steps, hooks and norms. Its gradient is computed all the same.
  bool enabled = true;

  const std::string& path() const { return path_; }  ///< "predictor/l1/W"
  std::int64_t t() const { return t_; }              ///< number of steps this parameter took

  /// A hyper-parameter: the own value where one was set, else the optimizer's. ValueError for an unknown name.
  double get(std::string_view name) const;
  void set(std::string_view name, double value);
  void unset(std::string_view name);  ///< follows the optimizer again

  /// A hook for this parameter alone; it takes an UpdateRule&. ValueError if the name is taken.
  template <class Hook>
    requires std::is_invocable_v<Hook&, UpdateRule&>
  void add_hook(Hook hook, const HookOptions& options = {}) {
    add(OptimizerHook::from(std::move(hook), options));
  }
  void remove_hook(std::string_view name);

  bool is_initialized() const;  ///< whether the parameter has a shape
  const Array& data() const;    ///< of the parameter, to be changed in place
  const Array& grad() const;    ///< in a hook: always there
  /// A state array by name ("m"); no array before the first step.
  Array state(std::string_view name) const;

 private:
  friend class Optimizer;
  friend class UpdateStep;

  void add(OptimizerHook hook);
  bool steps_like(const UpdateRule& other) const;

  Optimizer& optimizer_;
  std::string path_;
  std::shared_ptr<VariableBody> body_;
  std::int64_t t_ = 0;
  bool resumed_ = false;  // loaded without state: the first step says so
  std::vector<std::pair<std::size_t, double>> own_values_;  // hyper-parameter number and value, sorted
  std::vector<OptimizerHook> hooks_;
  std::vector<Array> state_;  // in the order of Optimizer::states()
};

}  // namespace renkei
