#include <renkei/lib/links/persistent.h>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/links/link.h>
#include <renkei/lib/serializers/serializer.h>

namespace renkei {

PersistentBase::PersistentBase(Link& owner, const std::string& name) { owner.register_persistent(name, *this); }

template <class T>
void Persistent<T>::serialize(Serializer& s, const std::string& name) {
  s(name, value);
}

template <class T>
void Persistent<T>::to_device(Device& device) {
  if constexpr (std::is_same_v<T, Array>) value = renkei::to_device(value, device);
}

template <class T>
T Persistent<T>::duplicate(const T& value) {
  if constexpr (std::is_same_v<T, Array>) return value ? copy(value) : Array{};
  return value;
}

template class Persistent<Array>;
template class Persistent<std::int64_t>;
template class Persistent<double>;
template class Persistent<bool>;
template class Persistent<std::string>;

}  // namespace renkei
