#include <renkei/lib/serializers/pickled_none.h>

using namespace std::string_literals;

namespace renkei {
namespace {

// What pickle.dump(numpy.array(None), protocol=...) gives. NumPy 2 renamed the module of the constructor.
std::string written_by_numpy(const std::string& module, int protocol) {
  const std::string opening = "\x80"s + static_cast<char>(protocol);
  if (protocol == 2)
    return opening + "c" + module +
           "\n_reconstruct\nq\x00""cnumpy\nndarray\nq\x01K\x00\x85q\x02""c_codecs\nencode\nq\x03"
           "X\x01\x00\x00\x00""bq\x04X\x06\x00\x00\x00latin1q\x05\x86q\x06Rq\x07\x87q\x08Rq\t(K\x01)"
           "cnumpy\ndtype\nq\nX\x02\x00\x00\x00O8q\x0b\x89\x88\x87q\x0cRq\r(K\x03X\x01\x00\x00\x00|q\x0e"
           "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x0f""b\x89]q\x10Natq\x11""b."s;
  if (protocol == 3)
    return opening + "c" + module +
           "\n_reconstruct\nq\x00""cnumpy\nndarray\nq\x01K\x00\x85q\x02""C\x01""bq\x03\x87q\x04Rq\x05(K\x01)"
           "cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8q\x07\x89\x88\x87q\x08Rq\t(K\x03X\x01\x00\x00\x00|q\n"
           "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tq\x0b""b\x89]q\x0cNatq\rb."s;
  const std::string frame =
      "\x8c"s + static_cast<char>(module.size()) + module +
      "\x94\x8c\x0c_reconstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94K\x00\x85\x94""C\x01""b\x94\x87"
      "\x94R\x94(K\x01)h\x03\x8c\x05""dtype\x94\x93\x94\x8c\x02O8\x94\x89\x88\x87\x94R\x94(K\x03\x8c\x01|\x94"
      "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?t\x94""b\x89]\x94Nat\x94""b."s;
  return opening + "\x95" + static_cast<char>(frame.size()) + std::string(7, '\0') + frame;
}

}  // namespace

std::string pickled_none() { return written_by_numpy("numpy.core.multiarray", 3); }

bool is_pickled_none(std::string_view pickle) {
  for (const char* module : {"numpy.core.multiarray", "numpy._core.multiarray"})
    for (int protocol = 2; protocol <= 5; ++protocol)
      if (pickle == written_by_numpy(module, protocol)) return true;
  return false;
}

}  // namespace renkei
