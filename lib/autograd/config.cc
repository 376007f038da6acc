#include <renkei/lib/autograd/config.h>

namespace renkei {

Config& config() {
  static thread_local Config modes;
  return modes;
}

}  // namespace renkei
