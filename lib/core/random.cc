#include <renkei/lib/core/random.h>

namespace renkei {

RandomGenerator& default_generator() {
  static RandomGenerator generator;
  return generator;
}

}  // namespace renkei
