#include <renkei/lib/datasets/tuple_dataset.h>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/kernels/gather.h>

namespace renkei {
namespace {

void check_field(const std::vector<Field>& fields, std::size_t f) {
  const Field& field = fields[f];
  const std::string name = fmt::format("field {}", f);
  if (!field.array) throw ValueError{fmt::format("TupleDataset: {} has no array", name)};
  if (!field.array.device().is_host())
    throw DeviceError{
        fmt::format("TupleDataset: {} is on device {}; want host memory", name, field.array.device().name())};
  if (field.array.ndim() == 0)
    throw ShapeError{"TupleDataset", {{name, field.array.shape()}}, "a first axis that counts examples"};
  if (field.array.shape()[0] != fields.front().array.shape()[0])
    throw ShapeError{"TupleDataset", {{"field 0", fields.front().array.shape()}, {name, field.array.shape()}},
                     "equal first axes"};
  if (field.divisor != 0.0) visit_float("TupleDataset: divisor", field.dtype, [](auto) {});
}

}  // namespace

TupleDataset::TupleDataset(std::vector<Field> fields) : fields_{std::move(fields)} {
  if (fields_.empty()) throw ValueError{"TupleDataset: number of fields", 0, "at least 1"};
  for (std::size_t f = 0; f < fields_.size(); ++f) check_field(fields_, f);
}

Arrays TupleDataset::get(std::int64_t i) const {
  Arrays example = gather(std::span{&i, 1});
  for (Array& array : example) array = array.reshape(array.shape().without(0));
  return example;
}

Arrays TupleDataset::gather(std::span<const std::int64_t> indices) const {
  for (const std::int64_t i : indices) check_index("TupleDataset", i, size());
  Device& host = fields_.front().array.device();
  Arrays batch;
  batch.reserve(fields_.size());
  for (const Field& field : fields_) {
    const Shape shape = field.array.shape().with(0, static_cast<std::int64_t>(indices.size()));
    batch.push_back(empty(shape, field.dtype, host));
    host.kernel<kernels::GatherRows>()(field.array, indices, field.divisor, batch.back());
  }
  return batch;
}

TupleDataset TupleDataset::slice(std::int64_t begin, std::int64_t end) const {
  std::vector<Field> fields = fields_;
  for (Field& field : fields) field.array = field.array.slice(begin, end);
  return TupleDataset{std::move(fields)};
}

}  // namespace renkei
