// Persistent: a value that is saved with its link but not trained: a running mean, a counter.
//
//   Persistent<Array> avg_mean{*this, "avg_mean", zeros({size}, Dtype::float32)};
//   Persistent<std::int64_t> N{*this, "N", 0};
#pragma once

#include <cstdint>
#include <string>

#include <renkei/lib/core/array.h>

namespace renkei {

class Device;
class Link;
class Serializer;

class PersistentBase {
 public:
  virtual ~PersistentBase() = default;
  virtual void serialize(Serializer& s, const std::string& name) = 0;
  virtual void to_device(Device& device) = 0;

 protected:
  PersistentBase(Link& owner, const std::string& name);
  PersistentBase(const PersistentBase&) = default;
  PersistentBase& operator=(const PersistentBase&) = default;
};

/// T is Array (copied deeply; no array stands for "no shape yet"), std::int64_t, double, bool or std::string.
template <class T>
class Persistent final : public PersistentBase {
 public:
  Persistent(Link& owner, const std::string& name, T initial)
      : PersistentBase{owner, name}, value{std::move(initial)} {}
  Persistent(const Persistent& other) : PersistentBase{other}, value{duplicate(other.value)} {}
  Persistent& operator=(const Persistent& other) {
    value = duplicate(other.value);
    return *this;
  }
  Persistent(Persistent&&) noexcept = default;
  Persistent& operator=(Persistent&&) noexcept = default;

  void serialize(Serializer& s, const std::string& name) override;
  void to_device(Device& device) override;

  T value;

 private:
  static T duplicate(const T& value);
};

}  // namespace renkei
