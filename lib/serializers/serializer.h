// Saving and loading the state of objects. An object describes its state once, in both directions:
//
//   void serialize(Serializer& s) {
//     s("iteration", iteration_);                   // bool, integers, double, std::string, Array
//     s.object("optimizer:main", optimizer_);       // anything with serialize(Serializer&)
//   }
//
// State travels through a Dictionary: a flat map from path to value, the content of one .npz file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <renkei/lib/serializers/dictionary.h>

namespace renkei {

struct LoadOptions {
  std::string path = {};       ///< load only what is below this path ("predictor"); the rest does not count as extra
  bool allow_missing = false;  ///< entries that are not there leave the object as it is (they are reported)
  bool allow_extra = false;    ///< entries that no object asks for are passed over (they are reported)
  std::vector<std::string> ignore_names = {};  ///< keys to leave alone: whole keys, or "l3/" for all below l3
  std::function<bool(std::string_view key)> ignore = {};  ///< keys to leave alone, as a predicate on the whole key
};

/// What a load passed over, sorted, so that the caller can tell the user.
struct LoadReport {
  std::vector<std::string> missing, extra, ignored;
};

class Serializer {
 public:
  /// A serializer that saves into `target`. Arrays are not copied: write the dictionary before they change.
  /// Saving one key twice throws StateError: one of the two values would be lost.
  static Serializer saving(Dictionary& target);
  /// A serializer that loads from `source`, which must outlive it; `origin` (a file name) starts every message.
  static Serializer loading(const Dictionary& source, std::string origin, LoadOptions options = {});

  bool is_loading() const { return source_ != nullptr; }

  /// Saves `value` under path + key, or replaces it by what is stored there. Loading throws MismatchError naming
  /// file and key if the entry is missing (unless allowed) or of a kind that does not fit. A double takes integers
  /// and floating scalars of any type; an int takes any integer within its range; bool and text take only their own.
  void operator()(std::string_view key, bool& value);
  void operator()(std::string_view key, std::int64_t& value);
  void operator()(std::string_view key, int& value);
  void operator()(std::string_view key, double& value);
  void operator()(std::string_view key, std::string& value);
  /// An array that exists is overwritten in place: shapes must be equal (both are named if not), floating dtypes
  /// are converted, other dtypes must be equal. One that does not exist is saved as None, and made on the current
  /// device when loaded. A stored None leaves `value` as it is. A scalar fits an array of shape ().
  void operator()(std::string_view key, Array& value);

  /// The parts of an object under the path key + "/".
  template <class Object>
  void object(std::string_view key, Object& object) {
    Serializer part = child(key);
    object.serialize(part);
  }
  Serializer child(std::string_view key) const;

  /// Like operator(), but an entry that is not in the file is no error: `value` stays. Returns whether it was read
  /// or saved. For state that older files, or Chainer's, do not have.
  template <class T>
  bool optional(std::string_view key, T& value) {
    if (is_loading() && !contains(key)) return false;
    (*this)(key, value);
    return true;
  }

  /// Loading: the stored value, for objects that cannot take it as it comes. Null when it is to be ignored, or
  /// missing and that is allowed; missing otherwise throws MismatchError (ask `contains` first if it may be absent).
  const Value* find(std::string_view key);
  void save(std::string_view key, Value value);
  bool contains(std::string_view key) const;         ///< loading: whether the entry is there (and not ignored)
  bool contains_below(std::string_view key) const;   ///< loading: whether any entry starts with path + key + "/"

  std::string full_key(std::string_view key) const;  ///< path + key
  std::string origin() const;

  /// After loading: throws MismatchError naming the first entry nobody asked for, unless allowed. Only entries
  /// below this serializer's path count.
  LoadReport finish();

  /// Throws MismatchError "ORIGIN: PATH/KEY: problem".
  [[noreturn]] void fail(std::string_view key, std::string_view problem) const;

 private:
  struct Loading;  // shared by the children of one load
  Dictionary* target_ = nullptr;
  std::shared_ptr<Loading> source_;
  std::string path_;
};

}  // namespace renkei
