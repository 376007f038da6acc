#include <renkei/lib/links/sequential.h>

namespace renkei {

Variable Sequential::operator()(const Variable& x) {
  return blaming([&] {
    Variable y = x;
    for (const Step& step : steps_)
      y = step.function ? step.function(y) : step.call((*this)[static_cast<std::size_t>(step.element)], y);
    return y;
  });
}

}  // namespace renkei
