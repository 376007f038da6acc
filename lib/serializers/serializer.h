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
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <renkei/lib/core/array.h>

namespace renkei {

/// Stands for "there is nothing": a parameter without a shape. Chainer writes it as a pickled None.
struct None {
  bool operator==(const None&) const = default;
};

using Value = std::variant<None, bool, std::int64_t, double, std::string, Array>;
using Dictionary = std::map<std::string, Value, std::less<>>;

struct LoadOptions {
  bool allow_missing = false;  ///< entries that are not there leave the object as it is (they are reported)
  bool allow_extra = false;    ///< entries that no object asks for are passed over
  std::function<bool(std::string_view key)> ignore = {};  ///< keys to leave alone in any case
};

/// What a load passed over, so that the caller can tell the user.
struct LoadReport {
  std::vector<std::string> missing, extra, ignored;
};

class Serializer {
 public:
  /// A serializer that saves into `target`. Arrays are not copied: write the dictionary before they change.
  static Serializer saving(Dictionary& target);
  /// A serializer that loads from `source`; `origin` (a file name) starts every error message.
  static Serializer loading(const Dictionary& source, std::string origin, LoadOptions options = {});

  bool is_loading() const { return source_ != nullptr; }

  /// Saves `value` under path + key, or replaces it by what is stored there. Loading throws MismatchError naming
  /// file and key if the entry is missing (unless allowed) or of a kind that does not fit; an integer fits a double.
  void operator()(std::string_view key, bool& value);
  void operator()(std::string_view key, std::int64_t& value);
  void operator()(std::string_view key, int& value);
  void operator()(std::string_view key, double& value);
  void operator()(std::string_view key, std::string& value);
  /// An array that exists is overwritten in place: shapes must be equal (both are named if not), floating dtypes
  /// are converted. One that does not exist is made on the current device. A stored None leaves `value` as it is.
  void operator()(std::string_view key, Array& value);

  /// The parts of an object under the path key + "/".
  template <class Object>
  void object(std::string_view key, Object& object) {
    Serializer part = child(key);
    object.serialize(part);
  }
  Serializer child(std::string_view key) const;

  /// The stored value, or null when it is missing or ignored. For objects that cannot take a value as it comes.
  const Value* find(std::string_view key);
  void save(std::string_view key, Value value);
  bool contains(std::string_view key) const;         ///< loading: whether the entry is there
  bool contains_below(std::string_view key) const;   ///< loading: whether any entry starts with path + key + "/"

  std::string full_key(std::string_view key) const { return path_ + std::string{key}; }
  std::string origin() const;

  /// After loading: throws MismatchError naming the first entry nobody asked for, unless allowed. Only entries
  /// below this serializer's path count.
  LoadReport finish();

  [[noreturn]] void fail(std::string_view key, std::string_view problem) const;

 private:
  struct Loading;  // shared by the children of one load
  Dictionary* target_ = nullptr;
  std::shared_ptr<Loading> source_;
  std::string path_;
};

}  // namespace renkei
