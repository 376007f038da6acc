// Sequential: links and plain functions, each called with the result of the one before.
//
//   links::Sequential net{links::Linear{100}, functions::relu, links::Linear{10}};
#pragma once

#include <functional>
#include <type_traits>

#include <renkei/lib/links/chain_list.h>

namespace renkei {

/// What a Sequential can be made of: a link, or a function Variable(const Variable&).
template <class T>
concept SequentialLayer = std::is_base_of_v<Link, std::remove_cvref_t<T>> ||
                          std::is_invocable_r_v<Variable, std::remove_reference_t<T>&, const Variable&>;

/// Links are numbered "0", "1", ... in paths and files; functions take no number. Copies copy the links.
class Sequential : public ChainList {
 public:
  Sequential() = default;

  template <SequentialLayer First, SequentialLayer... Rest>
    requires(!std::is_same_v<std::remove_cvref_t<First>, Sequential> || sizeof...(Rest) > 0)
  explicit Sequential(First&& first, Rest&&... rest) {
    append(std::forward<First>(first));
    (append(std::forward<Rest>(rest)), ...);
  }

  template <SequentialLayer... Layers>
  Sequential(Chain& parent, const std::string& name, Layers&&... layers) : ChainList{parent, name} {
    (append(std::forward<Layers>(layers)), ...);
  }

  /// Adds a link (moved or copied in) or a function.
  template <SequentialLayer Layer>
  void append(Layer&& layer) {
    using T = std::remove_cvref_t<Layer>;
    if constexpr (std::is_base_of_v<Link, T>) {
      add(T{std::forward<Layer>(layer)});
      steps_.push_back({static_cast<std::ptrdiff_t>(size()) - 1, call_link<T>, {}});
    } else {
      steps_.push_back({-1, nullptr, std::forward<Layer>(layer)});
    }
  }

  Variable operator()(const Variable& x);

 private:
  struct Step {
    std::ptrdiff_t element;                         // of the list; -1 for a function
    Variable (*call)(Link& link, const Variable& x);
    std::function<Variable(const Variable&)> function;
  };

  template <class T>
  static Variable call_link(Link& link, const Variable& x) {
    auto& layer = static_cast<T&>(link);
    if constexpr (requires { layer.forward(x); }) return layer.forward(x);
    else return layer(x);
  }

  std::vector<Step> steps_;
};

}  // namespace renkei
