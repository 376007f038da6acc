#include <renkei/lib/serializers/dictionary.h>

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include <renkei/lib/device/creation.h>

namespace renkei {
namespace {

template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };

std::vector<std::byte> host_bytes(const Array& array) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(array.bytes()));
  if (!bytes.empty()) array.device().copy_to_host(bytes.data(), array.raw_data(), bytes.size());
  return bytes;
}

template <class T>
Array scalar_array(T value) {
  return to_array<T>({value}, {}, get_device("cpu"));
}

}  // namespace

std::string describe(const Value& value) {
  return std::visit(
      Overloaded{[](None) -> std::string { return "None"; },
                 [](bool flag) -> std::string { return flag ? "bool True" : "bool False"; },
                 [](std::int64_t number) { return fmt::format("integer {}", number); },
                 [](double number) { return fmt::format("number {}", number); },
                 [](const std::string& text) { return fmt::format("text of {} bytes", text.size()); },
                 [](const Array& array) {
                   if (!array) return std::string{"None"};
                   return fmt::format("{} array of shape {}", name_of(array.dtype()), array.shape().to_string());
                 }},
      value);
}

Array as_array(const Value& value) {
  return std::visit(Overloaded{[](const Array& array) { return array; },
                               [](bool flag) { return scalar_array(flag); },
                               [](std::int64_t number) { return scalar_array(number); },
                               [](double number) { return scalar_array(number); },
                               [](const auto&) { return Array{}; }},
                    value);
}

bool identical(const Value& a, const Value& b) {
  if (a.index() != b.index()) return false;
  return std::visit(Overloaded{[](None) { return true; },
                               [&](const Array& left) {
                                 const auto& right = std::get<Array>(b);
                                 if (!left || !right) return !left && !right;
                                 return left.shape() == right.shape() && left.dtype() == right.dtype() &&
                                        host_bytes(left) == host_bytes(right);
                               },
                               [&](double left) {
                                 return std::bit_cast<std::uint64_t>(left) ==
                                        std::bit_cast<std::uint64_t>(std::get<double>(b));
                               },
                               [&](const auto& left) { return left == std::get<std::decay_t<decltype(left)>>(b); }},
                    a);
}

std::vector<std::string> differences(const Dictionary& a, const Dictionary& b) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    if (other == b.end() || !identical(value, other->second)) keys.push_back(key);
  }
  for (const auto& entry : b)
    if (!a.contains(entry.first)) keys.push_back(entry.first);
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace renkei
