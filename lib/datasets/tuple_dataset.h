// TupleDataset: examples held as whole arrays in host memory, one array per field.
#pragma once

#include <vector>

#include <renkei/lib/datasets/dataset.h>

namespace renkei {

/// One field of a TupleDataset: row i belongs to example i. Stored as it comes; examples are
///   float32(array[i]) / float32(divisor)        if divisor is not 0
///   array[i] converted to `dtype`               otherwise
/// so that images stay bytes in memory and become numbers while a batch is gathered, in one pass.
struct Field {
  Field(Array array) : array{std::move(array)}, dtype{this->array.dtype()} {}
  Field(Array array, Dtype dtype, double divisor = 0.0) : array{std::move(array)}, dtype{dtype}, divisor{divisor} {}

  Array array;
  Dtype dtype;
  double divisor = 0.0;
};

/// Cheap to copy: copies share the arrays.
class TupleDataset final : public Dataset {
 public:
  /// Throws ValueError without fields, ShapeError naming both when first axes differ, DeviceError for arrays that are
  /// not in host memory, DtypeError for a divisor with a dtype that is not float32 or float64.
  explicit TupleDataset(std::vector<Field> fields);

  std::int64_t size() const override { return fields_.front().array.shape()[0]; }
  Arrays get(std::int64_t i) const override;
  Arrays gather(std::span<const std::int64_t> indices) const override;

  const std::vector<Field>& fields() const { return fields_; }

  /// The examples [begin, end), sharing memory. Throws ShapeError outside the data set.
  TupleDataset slice(std::int64_t begin, std::int64_t end) const;

 private:
  std::vector<Field> fields_;
};

}  // namespace renkei
