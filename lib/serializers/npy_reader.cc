#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/npy.h>
#include <renkei/lib/serializers/pickled_none.h>
#include <renkei/lib/serializers/unicode.h>

static_assert(std::endian::native == std::endian::little, "elements are read as little-endian");

namespace renkei {
namespace {

struct ElementType {
  char kind = 0;  ///< NumPy's letter: b bool, i and u integers, f floating, U and S text, O objects, ...
  std::int64_t size = 0;
  bool swapped = false;
};

ElementType parse_descr(const NpySource& source, std::string_view descr) {
  const auto unknown = [&]() { source.fail(fmt::format("has elements of unknown type '{}'", descr)); };
  if (descr.size() < 2) unknown();
  ElementType type{descr[1], 0, descr[0] == '>'};
  if (std::string_view{"<>|="}.find(descr[0]) == std::string_view::npos) unknown();
  if (descr == "|O") return type;
  const auto [end, status] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), type.size);
  if (status != std::errc{} || end != descr.data() + descr.size() || type.size < 0) unknown();
  if (type.kind == 'U') {
    if (type.size > std::numeric_limits<std::int64_t>::max() / 4) unknown();
    type.size *= 4;
  }
  return type;
}

/// Number of elements; their bytes must be exactly what is left of the source. Never overflows.
std::int64_t checked_count(const NpySource& source, const NpyHeader& header, std::int64_t element_size) {
  const std::string shape = fmt::format("({})", fmt::join(header.shape, ", "));
  if (header.shape.size() > Shape::kMaxDims)
    source.fail(fmt::format("has shape {}; at most {} axes are supported", shape, Shape::kMaxDims));
  // Extents of 0 are left out at first: products of the others must fit as well, since strides are such products.
  std::int64_t count = 1, bytes = 0;
  bool overflow = false, empty = false;
  for (const std::int64_t extent : header.shape) {
    empty |= extent == 0;
    overflow |= extent != 0 && __builtin_mul_overflow(count, extent, &count);
  }
  overflow |= __builtin_mul_overflow(count, element_size, &bytes);
  if (overflow) source.fail(fmt::format("has shape {}, more bytes than 64 bits can count", shape));
  if (empty) count = bytes = 0;
  if (bytes != source.remaining())
    source.fail(fmt::format("has {} bytes of elements; shape {} of '{}' wants {}", source.remaining(), shape,
                            header.descr, bytes));
  return count;
}

void swap_bytes(std::span<std::byte> elements, std::int64_t size) {
  for (auto first = elements.begin(); first != elements.end(); first += size) std::reverse(first, first + size);
}

/// Elements in Fortran order (first axis fastest) to C order.
std::vector<std::byte> to_row_major(std::span<const std::byte> elements, const Shape& shape, std::int64_t size) {
  std::vector<std::byte> result(elements.size());
  std::array<std::int64_t, Shape::kMaxDims> strides{}, index{};
  std::int64_t stride = size;
  for (int axis = 0; axis < shape.ndim(); ++axis) {
    strides[static_cast<std::size_t>(axis)] = stride;
    stride *= shape[axis];
  }
  std::int64_t from = 0;
  for (std::int64_t to = 0; to < static_cast<std::int64_t>(result.size()); to += size) {
    std::memcpy(result.data() + to, elements.data() + from, static_cast<std::size_t>(size));
    for (int axis = shape.ndim() - 1; axis >= 0; --axis) {
      const auto a = static_cast<std::size_t>(axis);
      from += strides[a];
      if (++index[a] < shape[axis]) break;
      from -= index[a] * strides[a];
      index[a] = 0;
    }
  }
  return result;
}

template <class From, class To>
Array converted(const NpySource& source, std::span<const std::byte> elements, const Shape& shape) {
  Array array = empty(shape, dtype_of<To>, get_device("cpu"));
  To* to = array.data<To>();
  for (std::size_t i = 0; i < elements.size() / sizeof(From); ++i) {
    From element;
    std::memcpy(&element, elements.data() + i * sizeof(From), sizeof(From));
    if constexpr (std::is_same_v<To, bool>) {
      to[i] = element != 0;  // any other byte in a bool would be undefined
    } else {
      if constexpr (std::is_same_v<From, std::uint64_t>)
        if (element > static_cast<From>(std::numeric_limits<std::int64_t>::max()))
          source.fail(fmt::format("has the uint64 element {}, which does not fit into int64", element));
      to[i] = static_cast<To>(element);
    }
  }
  return array;
}

/// The type of this library with the same bits; null when elements must be converted, or cannot be.
std::optional<Dtype> same_bits(const ElementType& type) {
  if (type.kind == 'f' && type.size == 2) return Dtype::float16;
  if (type.kind == 'f' && type.size == 4) return Dtype::float32;
  if (type.kind == 'f' && type.size == 8) return Dtype::float64;
  if (type.kind == 'i' && type.size == 4) return Dtype::int32;
  if (type.kind == 'i' && type.size == 8) return Dtype::int64;
  if (type.kind == 'u' && type.size == 1) return Dtype::uint8;
  return std::nullopt;
}

Array widened(const NpySource& source, const ElementType& type, std::string_view descr,
              std::span<const std::byte> elements, const Shape& shape) {
  if (type.kind == 'b' && type.size == 1) return converted<std::uint8_t, bool>(source, elements, shape);
  if (type.kind == 'i' && type.size == 1) return converted<std::int8_t, std::int32_t>(source, elements, shape);
  if (type.kind == 'i' && type.size == 2) return converted<std::int16_t, std::int32_t>(source, elements, shape);
  if (type.kind == 'u' && type.size == 2) return converted<std::uint16_t, std::int32_t>(source, elements, shape);
  if (type.kind == 'u' && type.size == 4) return converted<std::uint32_t, std::int64_t>(source, elements, shape);
  if (type.kind == 'u' && type.size == 8) return converted<std::uint64_t, std::int64_t>(source, elements, shape);
  source.fail(fmt::format("has elements of type '{}', which no dtype here can hold (want bool, integers, float16, "
                          "float32 or float64)", descr));
}

Array read_array(NpySource& source, const NpyHeader& header, const ElementType& type) {
  const auto dtype = same_bits(type);
  if (!dtype) widened(source, type, header.descr, {}, Shape{0});  // refuses what it cannot hold before reading
  const auto bytes = static_cast<std::size_t>(checked_count(source, header, type.size) * type.size);
  const Shape shape{std::span{header.shape}};
  if (dtype && !header.fortran_order && !type.swapped) {
    Array array = empty(shape, *dtype, get_device("cpu"));
    source.read({array.raw_data(), bytes});
    return array;
  }
  std::vector<std::byte> elements(bytes);
  source.read(elements);
  if (type.swapped) swap_bytes(elements, type.size);
  if (header.fortran_order) elements = to_row_major(elements, shape, type.size);
  if (!dtype) return widened(source, type, header.descr, elements, shape);
  Array array = empty(shape, *dtype, get_device("cpu"));
  std::copy(elements.begin(), elements.end(), array.raw_data());
  return array;
}

std::string read_text(NpySource& source, const NpyHeader& header, const ElementType& type) {
  if (!header.shape.empty()) source.fail("is an array of text; only single texts are supported");
  checked_count(source, header, type.size);
  std::string bytes(static_cast<std::size_t>(type.size), '\0');
  source.read(std::as_writable_bytes(std::span{bytes}));
  std::optional<std::string> text;
  if (type.kind == 'S') {
    text = bytes;
    if (!utf32_of(bytes)) text.reset();
  } else {
    if (type.swapped) swap_bytes(std::as_writable_bytes(std::span{bytes}), 4);
    std::u32string points(bytes.size() / 4, U'\0');
    std::memcpy(points.data(), bytes.data(), bytes.size());
    text = utf8_of(points);
  }
  if (!text) source.fail("is text that is not Unicode");
  const std::size_t end = text->find_last_not_of('\0');  // NumPy pads with NULs
  text->resize(end == std::string::npos ? 0 : end + 1);
  return *text;
}

None read_none(NpySource& source, const NpyHeader& header) {
  if (!header.shape.empty() || source.remaining() > 1024)
    source.fail("holds pickled objects; only a single None is supported");
  std::string pickle(static_cast<std::size_t>(source.remaining()), '\0');
  source.read(std::as_writable_bytes(std::span{pickle}));
  if (!is_pickled_none(pickle)) source.fail("holds a pickled object other than None; pickles are never run");
  return {};
}

}  // namespace

Value read_npy(NpySource& source) {
  const NpyHeader header = read_npy_header(source);
  const ElementType type = parse_descr(source, header.descr);
  if (type.kind == 'O') return read_none(source, header);
  if (type.kind == 'U' || type.kind == 'S') return read_text(source, header, type);
  const Array array = read_array(source, header, type);
  if (array.ndim() > 0) return array;
  if (array.dtype() == Dtype::boolean) return *array.data<bool>();
  if (array.dtype() == Dtype::float64) return *array.data<double>();
  if (is_floating(array.dtype())) return array;
  return *cast(array, Dtype::int64).data<std::int64_t>();
}

}  // namespace renkei
