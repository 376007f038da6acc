// Orthogonal matrices: Q of the QR decomposition of a Gaussian matrix by Householder reflections (Golub and Van Loan,
// "Matrix Computations", section 5.2), with signs such that R has a positive diagonal, which makes Q uniform.
#include <cmath>
#include <string_view>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/philox.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/links/initializers.h>

namespace renkei::initializers {
namespace {

using Columns = std::vector<std::vector<double>>;

Columns gaussian(std::size_t rows, std::size_t columns) {
  const std::uint64_t seed = default_generator().seed(), stream = default_generator().take_stream();
  Columns matrix(columns, std::vector<double>(rows));
  for (std::size_t c = 0; c < columns; ++c)
    for (std::size_t r = 0; r < rows; ++r) {
      const PhiloxBlock words = philox(seed, stream, c * rows + r);
      matrix[c][r] = normal_from(words[0], words[1])[0];
    }
  return matrix;
}

/// x -= 2 v (v . x), for rows from `first`; v has length 1.
void reflect(const std::vector<double>& v, std::vector<double>& x, std::size_t first) {
  double dot = 0;
  for (std::size_t i = first; i < x.size(); ++i) dot += v[i] * x[i];
  for (std::size_t i = first; i < x.size(); ++i) x[i] -= 2.0 * dot * v[i];
}

/// Orthonormal columns that span those of `a` (rows >= columns), the diagonal of R made positive.
Columns orthonormalize(Columns a) {
  const std::size_t columns = a.size(), rows = a.front().size();
  Columns reflectors;
  std::vector<double> signs;
  for (std::size_t c = 0; c < columns; ++c) {
    std::vector<double> v(rows, 0.0);
    double norm = 0;
    for (std::size_t i = c; i < rows; ++i) norm += (v[i] = a[c][i]) * a[c][i];
    norm = std::sqrt(norm);
    // Away from zero: R gets the opposite sign of the element it replaces.
    const double diagonal = v[c] > 0 ? -norm : norm;
    v[c] -= diagonal;
    double length = 0;
    for (std::size_t i = c; i < rows; ++i) length += v[i] * v[i];
    length = std::sqrt(length);
    if (length > 0)
      for (std::size_t i = c; i < rows; ++i) v[i] /= length;
    for (std::size_t k = c; k < columns; ++k) reflect(v, a[k], c);
    signs.push_back(diagonal < 0 ? -1.0 : 1.0);
    reflectors.push_back(std::move(v));
  }
  Columns q(columns, std::vector<double>(rows, 0.0));
  for (std::size_t k = 0; k < columns; ++k) {
    q[k][k] = signs[k];
    for (std::size_t c = columns; c-- > 0;) reflect(reflectors[c], q[k], c);
  }
  return q;
}

}  // namespace

void Orthogonal::operator()(const Array& array) const {
  const Shape& shape = array.shape();
  const std::int64_t out = shape.ndim() ? shape[0] : 1, in = shape.ndim() ? shape.product(1, shape.ndim()) : 1;
  const auto require = [&](bool condition, std::string_view want) {
    if (!condition) throw ShapeError{"Orthogonal", {{"W", shape}}, want};
  };
  require(shape.size() > 0, "at least one element");
  if (mode == OrthogonalMode::projection) require(in >= out, "for a projection, no more rows than elements in a row");
  if (mode == OrthogonalMode::embedding) require(in <= out, "for an embedding, no fewer rows than elements in a row");
  if (mode == OrthogonalMode::basis) require(in == out, "for a basis, as many rows as elements in a row");

  const bool rows_are_orthonormal = in > out;
  const auto longer = static_cast<std::size_t>(std::max(in, out));
  const auto shorter = static_cast<std::size_t>(std::min(in, out));
  const Columns q = orthonormalize(gaussian(longer, shorter));
  std::vector<double> elements;
  for (std::size_t r = 0; r < static_cast<std::size_t>(out); ++r)
    for (std::size_t c = 0; c < static_cast<std::size_t>(in); ++c)
      elements.push_back(scale * (rows_are_orthonormal ? q[r][c] : q[c][r]));
  const Array wide = to_array(elements, shape, array.device());
  copy_into(array, cast(wide, array.dtype()));
}

}  // namespace renkei::initializers
