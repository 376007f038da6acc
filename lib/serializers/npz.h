// .npz files: what numpy.savez, numpy.savez_compressed and Chainer's save_npz write, a zip of one .npy per entry.
//
//   save_npz("model.npz", model);                              // anything with serialize(Serializer&)
//   load_npz("model.npz", model);
//   load_npz("snapshot_iter_600", model, {.path = "updater/model:main"});
#pragma once

#include <string>
#include <vector>

#include <renkei/lib/serializers/serializer.h>

namespace renkei {

/// Reads a whole file; arrays are on the CPU. Throws FileError naming the file, and the member where one is at
/// fault, when the file is missing, cut short, changed (checksums), or holds what read_npy refuses.
Dictionary read_npz(const std::string& path);

struct NpzOptions {
  bool compress = false;  ///< deflate the members; trained weights shrink by less than a tenth
};

/// Writes a file in one step (see atomic_file.h): the same dictionary gives the same bytes. Opens in numpy.load
/// (with allow_pickle for None). Stored members go straight from the memory of the arrays to the file. Throws
/// FileError with the reason of the system, ValueError for a key or text that the format cannot hold.
void write_npz(const std::string& path, const Dictionary& dictionary, const NpzOptions& options = {});

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

/// What a file was made from, told by its keys.
enum class NpzKind {
  snapshot,   ///< of a trainer: has "updater/..."
  optimizer,  ///< has "t" and "epoch"
  model,      ///< arrays by the paths of parameters
  other       ///< none of these
};
NpzKind kind_of(const Dictionary& dictionary);
std::string describe(NpzKind kind);  ///< "a trainer snapshot", "a model file", ...

/// Throws MismatchError "PATH: this is a model file (its first entry is predictor/l1/W), not a trainer snapshot".
void expect_kind(const std::string& path, const Dictionary& dictionary, NpzKind expected);

template <class Object>
void save_npz(const std::string& path, Object& object, const NpzOptions& options = {}) {
  Dictionary dictionary;
  Serializer serializer = Serializer::saving(dictionary);
  object.serialize(serializer);
  write_npz(path, dictionary, options);
}

/// Loads what `save` puts into a dictionary, by way of `load`. See load_npz.
LoadReport load_dictionary(const std::string& path, const Dictionary& dictionary, const LoadOptions& options,
                           const std::function<void(Serializer&)>& serialize);

/// Loads an object from a file. Strict by default: MismatchError names the first entry that is missing, that
/// nothing asked for, or that does not fit, and says so when the file is of another kind than the object (a model
/// file given as a snapshot). The report lists what the options allowed to be passed over. An object whose load
/// failed is partly loaded.
template <class Object>
LoadReport load_npz(const std::string& path, Object& object, const LoadOptions& options = {}) {
  return load_dictionary(path, read_npz(path), options, [&](Serializer& serializer) { object.serialize(serializer); });
}

}  // namespace renkei
