#include <renkei/lib/datasets/concat_examples.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>

namespace renkei {
namespace {

/// The examples of one call and how to name them.
struct Batch {
  const std::vector<Arrays>& examples;
  const ConcatOptions& options;

  std::string name(std::size_t k) const {
    return k < options.indices.size() ? fmt::format("example {}", options.indices[k]) : fmt::format("example at {}", k);
  }
  std::string where(std::size_t field) const { return fmt::format("concat_examples: field {}", field); }
};

void check_fields(const Batch& batch) {
  const std::size_t fields = batch.examples.front().size();
  for (std::size_t k = 1; k < batch.examples.size(); ++k)
    if (batch.examples[k].size() != fields)
      throw ValueError{fmt::format("concat_examples: {} has {} fields, {} has {}; want equal numbers", batch.name(0),
                                   fields, batch.name(k), batch.examples[k].size())};
  const std::size_t paddings = batch.options.padding.size();
  if (paddings > 1 && paddings != fields)
    throw ValueError{"concat_examples: number of padding values", paddings,
                     fmt::format("one, or one per field ({})", fields)};
}

/// Smallest shape that holds field f of every example; without padding they are all equal.
Shape enclosing_shape(const Batch& batch, std::size_t f) {
  const bool padded = !batch.options.padding.empty();
  const Array& first = batch.examples.front()[f];
  Shape shape = first.shape();
  for (std::size_t k = 1; k < batch.examples.size(); ++k) {
    const Array& array = batch.examples[k][f];
    if (array.dtype() != first.dtype())
      throw DtypeError{
          batch.where(f), {{batch.name(0), first.dtype()}, {batch.name(k), array.dtype()}}, "equal dtypes"};
    if (array.ndim() != first.ndim() || (!padded && array.shape() != first.shape()))
      throw ShapeError{
          batch.where(f),
          {{batch.name(0), first.shape()}, {batch.name(k), array.shape()}},
          padded ? "equal numbers of axes" : "equal shapes (or a padding value, or a converter of your own)"};
    for (int axis = 0; axis < shape.ndim(); ++axis)
      if (array.shape()[axis] > shape[axis]) shape = shape.with(axis, array.shape()[axis]);
  }
  return shape;
}

/// Copies `source` into the corner of `target`, an array of shape `outer` with as many axes.
void copy_corner(const std::byte* source, const Shape& inner, std::byte* target, const Shape& outer,
                 std::int64_t element) {
  int axis = inner.ndim();  // axes from here on are contiguous in both
  std::int64_t run = element;
  while (axis > 0 && (axis == inner.ndim() || inner[axis] == outer[axis])) run *= inner[--axis];
  const std::int64_t runs = inner.product(0, axis);
  for (std::int64_t r = 0; r < runs; ++r) {
    std::int64_t rest = r, offset = 0, stride = outer.product(axis, outer.ndim());
    for (int a = axis - 1; a >= 0; --a) {
      offset += rest % inner[a] * stride;
      rest /= inner[a];
      stride *= outer[a];
    }
    std::memcpy(target + offset * element, source + r * run, static_cast<std::size_t>(run));
  }
}

/// Not the device's Fill: loader threads come here, and they must not wake the device's thread pool.
void pad(const Array& array, double value) {
  visit_dtype(array.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    std::fill_n(array.data<T>(), array.size(), static_cast<T>(value));
  });
}

}  // namespace

Arrays concat_examples(const std::vector<Arrays>& examples, const ConcatOptions& options) {
  if (examples.empty()) throw ValueError{"concat_examples: batch is empty"};
  const Batch batch{examples, options};
  check_fields(batch);
  Device& host = get_device("cpu");
  Arrays result;
  for (std::size_t f = 0; f < examples.front().size(); ++f) {
    const Shape shape = enclosing_shape(batch, f);
    const auto count = static_cast<std::int64_t>(examples.size());
    const Array stacked = empty(shape.inserted(0, count), examples.front()[f].dtype(), host);
    const std::int64_t element = size_of(stacked.dtype()), stride = shape.size() * element;
    if (!options.padding.empty()) pad(stacked, options.padding[options.padding.size() == 1 ? 0 : f]);
    for (std::int64_t k = 0; k < count; ++k) {
      const Array source = to_device(examples[static_cast<std::size_t>(k)][f], host);
      if (source.size() > 0)
        copy_corner(source.raw_data(), source.shape(), stacked.raw_data() + k * stride, shape, element);
    }
    result.push_back(stacked);
  }
  return result;
}

}  // namespace renkei
