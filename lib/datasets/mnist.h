// MNIST and data sets of its form: images of bytes with labels 0 to 9, in four IDX files.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <renkei/lib/datasets/tuple_dataset.h>

namespace renkei::datasets {

struct MnistOptions {
  /// Folder with the four files (train-images-idx3-ubyte and so on; a dot instead of the dash and .gz are fine). Empty:
  /// they are looked for in the system's folder and the cache folder, and else downloaded into the latter, which is
  /// $RENKEI_DATA_ROOT/NAME, $XDG_CACHE_HOME/renkei/NAME or ~/.cache/renkei/NAME.
  std::string data_dir = {};
  bool withlabel = true;             ///< examples are {image, label}, else {image}
  int ndim = 1;                      ///< 1: (rows * columns), 2: (rows, columns), 3: (1, rows, columns)
  double scale = 1.0;                ///< pixels are in [0, scale]; 1: float32(pixel) / float32(255)
  Dtype dtype = Dtype::float32;      ///< or float64
  Dtype label_dtype = Dtype::int32;
  std::optional<std::int64_t> train_size = {}, test_size = {};  ///< the first so many examples
};

/// (train, test): 60000 and 10000 images of 28 x 28. Pixels stay bytes in memory and become floating while a batch is
/// gathered. Throws FileError naming the file and what is wrong with it, or what was looked for and where.
std::pair<TupleDataset, TupleDataset> get_mnist(const MnistOptions& options = {});
std::pair<TupleDataset, TupleDataset> get_fashion_mnist(const MnistOptions& options = {});

}  // namespace renkei::datasets
