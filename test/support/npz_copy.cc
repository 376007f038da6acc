// npz_copy IN OUT [--compress]: reads an npz file and writes what it read. For numpy_roundtrip.py.
#include <cstdio>
#include <string_view>

#include <renkei/lib/core/error.h>
#include <renkei/lib/serializers/npz.h>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  try {
    const bool compress = argc > 3 && std::string_view{argv[3]} == "--compress";
    renkei::write_npz(argv[2], renkei::read_npz(argv[1]), {.compress = compress});
  } catch (const renkei::Error& error) {
    std::fprintf(stderr, "npz_copy: %s\n", error.what());
    return 2;
  }
  return 0;
}
