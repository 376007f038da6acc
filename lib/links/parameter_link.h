// A link that is nothing but a parameter.
#pragma once

#include <renkei/lib/links/link.h>

namespace renkei::links {

/// Its call returns the parameter W, which starts as a copy of `values`.
class Parameter : public Link {
 public:
  explicit Parameter(const Array& values) : W{*this, "W", values} {}
  Parameter(Chain& parent, const std::string& name, const Array& values) : Link{parent, name}, W{*this, "W", values} {}

  Variable operator()() const { return W; }

  renkei::Parameter W;
};

}  // namespace renkei::links
