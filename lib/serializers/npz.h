// .npz files: what numpy.savez, numpy.savez_compressed and Chainer's save_npz write, a zip of one .npy per entry.
#pragma once

#include <string>
#include <vector>

#include <renkei/lib/serializers/serializer.h>

namespace renkei {

/// Reads a whole file; arrays are on the CPU. Throws FileError naming the file, and the member where one is at
/// fault, when the file is missing, cut short, changed (checksums), or holds what read_npy refuses.
Dictionary read_npz(const std::string& path);

/// One member as it is stored.
struct NpzMember {
  std::string key;
  std::string descr;  ///< NumPy's type code: "<f4"
  std::vector<std::int64_t> shape;
  bool fortran_order = false;
  bool deflated = false;
};

/// The members in the order of the file, without their elements.
std::vector<NpzMember> list_npz(const std::string& path);

}  // namespace renkei
