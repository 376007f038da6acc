#include <renkei/lib/autograd/config.h>

#include <renkei/lib/core/random.h>

namespace renkei {

Config& config() {
  static thread_local Config modes;
  return modes;
}

RandomGenerator& current_generator() { return config().generator ? *config().generator : default_generator(); }

}  // namespace renkei
