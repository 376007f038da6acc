#include <cstring>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/npy.h>
#include <renkei/lib/serializers/pickled_none.h>
#include <renkei/lib/serializers/unicode.h>

namespace renkei {
namespace {

// NumPy aligns the elements to this, so that a stored file can be mapped.
constexpr std::size_t kAlignment = 64;

std::string header(std::string_view descr, const Shape& shape) {
  std::string dict = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, shape.to_string());
  constexpr std::size_t kPreamble = 10;
  const std::size_t unpadded = kPreamble + dict.size() + 1;
  dict.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  dict += '\n';
  std::string result{"\x93NUMPY\x01\x00", 8};
  result += static_cast<char>(dict.size() & 0xff);
  result += static_cast<char>(dict.size() >> 8);
  return result + dict;
}

template <class T>
std::string bytes_of(const T& element) {
  return {reinterpret_cast<const char*>(&element), sizeof element};
}

std::string_view descr_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::float64: return "<f8";
    case Dtype::float16: return "<f2";
    case Dtype::int32: return "<i4";
    case Dtype::int64: return "<i8";
    case Dtype::uint8: return "|u1";
    case Dtype::boolean: return "|b1";
    case Dtype::float32:
    case Dtype::bfloat16: break;
  }
  return "<f4";
}

std::string text_image(std::string_view key, const std::string& text) {
  auto points = utf32_of(text);
  if (!points) throw ValueError{key, "text that is not UTF-8", "UTF-8, to be stored in an npz file"};
  if (points->ends_with(U'\0')) throw ValueError{key, "text that ends in NUL", "no NUL at the end: NumPy strips it"};
  if (points->empty()) points->push_back(U'\0');  // NumPy has no text of length 0 either
  return header(fmt::format("<U{}", points->size()), {}) +
         std::string{reinterpret_cast<const char*>(points->data()), points->size() * sizeof(char32_t)};
}

struct Writer {
  std::string_view key;

  NpyImage operator()(None) const { return {header("|O", {}) + pickled_none(), {}}; }
  NpyImage operator()(bool flag) const { return {header("|b1", {}) + bytes_of(flag), {}}; }
  NpyImage operator()(std::int64_t number) const { return {header("<i8", {}) + bytes_of(number), {}}; }
  NpyImage operator()(double number) const { return {header("<f8", {}) + bytes_of(number), {}}; }
  NpyImage operator()(const std::string& text) const { return {text_image(key, text), {}}; }
  NpyImage operator()(const Array& array) const {
    if (!array) return (*this)(None{});
    const Array same = array.dtype() == Dtype::bfloat16 ? cast(array, Dtype::float32) : array;
    const Array host = same.device().is_host() ? same : to_device(same, get_device("cpu"));
    return {header(descr_of(array.dtype()), array.shape()), host};
  }
};

}  // namespace

NpyImage npy_image(std::string_view key, const Value& value) { return std::visit(Writer{key}, value); }

}  // namespace renkei
