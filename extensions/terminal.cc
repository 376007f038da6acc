#include <renkei/extensions/terminal.h>

#include <unistd.h>

namespace renkei::extensions {

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

}  // namespace renkei::extensions
