// Initializers, with Chainer's names and defaults. Each fills an array from the next stream of default_generator():
// element i depends on seed, stream and i only, and is computed in float64.
//
// Fans of a shape (out, in, rest...): fan_in = in * prod(rest), fan_out = out * prod(rest). Those that need them throw
// ShapeError for shapes with fewer than two axes.
#pragma once

#include <renkei/lib/links/initializer.h>

namespace renkei::initializers {

struct Fans {
  double in, out;
};
Fans fans_of(const Shape& shape);

enum class Fan { in, out };

struct Normal {  ///< N(0, scale^2)
  double scale = 0.05;
  void operator()(const Array& array) const;
};

struct LeCunNormal {  ///< N(0, s^2), s = scale sqrt(1 / fan_in): LeCun et al. 1998; the default for weights
  double scale = 1.0;
  void operator()(const Array& array) const;
};

struct GlorotNormal {  ///< s = scale sqrt(2 / (fan_in + fan_out)): Glorot and Bengio 2010
  double scale = 1.0;
  void operator()(const Array& array) const;
};

struct HeNormal {  ///< s = scale sqrt(2 / fan): He et al. 2015
  double scale = 1.0;
  Fan fan_option = Fan::in;
  void operator()(const Array& array) const;
};

struct Uniform {  ///< U[-scale, scale)
  double scale = 0.05;
  void operator()(const Array& array) const;
};

struct LeCunUniform {  ///< bound scale sqrt(3 / fan_in)
  double scale = 1.0;
  void operator()(const Array& array) const;
};

struct GlorotUniform {  ///< bound scale sqrt(6 / (fan_in + fan_out))
  double scale = 1.0;
  void operator()(const Array& array) const;
};

struct HeUniform {  ///< bound scale sqrt(6 / fan_in)
  double scale = 1.0;
  void operator()(const Array& array) const;
};

enum class OrthogonalMode { automatic, projection, embedding, basis };

/// Rows (first axis) against the flattened rest: orthonormal rows where rest >= out, else orthonormal columns, times
/// `scale` (Saxe et al. 2013). `projection` needs rest >= out, `embedding` rest <= out, `basis` both; else ShapeError.
struct Orthogonal {
  double scale = 1.1;
  OrthogonalMode mode = OrthogonalMode::automatic;
  void operator()(const Array& array) const;
};

struct Identity {  ///< scale times the identity; square matrices only
  double scale = 1.0;
  void operator()(const Array& array) const;
};

struct Constant {
  double fill_value;
  void operator()(const Array& array) const;
};

struct Zero {
  void operator()(const Array& array) const;
};

struct One {
  void operator()(const Array& array) const;
};

struct NaN {  ///< for parameters that a file will fill
  void operator()(const Array& array) const;
};

/// Linear interpolation as the weight (in, out, k...) of a deconvolution with stride (k + 1) / 2: a product of
/// triangles for each channel, out == in (other channels get 0) or out == 1. ShapeError otherwise, or if the k differ.
struct UpsamplingDeconvFilter {
  void operator()(const Array& array) const;
};

/// The same kernel divided by its sum: averaging as the weight (out, in, k, k) of a convolution.
struct DownsamplingConvFilter {
  void operator()(const Array& array) const;
};

}  // namespace renkei::initializers
