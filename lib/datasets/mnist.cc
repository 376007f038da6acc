#include <renkei/lib/datasets/mnist.h>

#include <future>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/datasets/idx.h>
#include <renkei/lib/datasets/mnist_files.h>

namespace renkei::datasets {
namespace {

constexpr int kClasses = 10;

struct Part {
  std::string images_path, labels_path;
  Array images, labels;
};

void check_counts(const Part& part) {
  if (part.images.shape()[0] == 0) throw FileError{part.images_path, "holds no images"};
  if (part.images.shape()[0] != part.labels.shape()[0])
    throw FileError{part.images_path, fmt::format("holds {} images, but {} holds {} labels", part.images.shape()[0],
                                                  part.labels_path, part.labels.shape()[0])};
}

void check_labels(const Part& part) {
  const auto* labels = part.labels.data<std::uint8_t>();
  for (std::int64_t i = 0; i < part.labels.size(); ++i)
    if (labels[i] >= kClasses)
      throw FileError{part.labels_path,
                      fmt::format("label {} of example {}; want 0 to {}", labels[i], i, kClasses - 1)};
}

Shape image_shape(const Shape& stored, int ndim) {
  const std::int64_t n = stored[0], rows = stored[1], columns = stored[2];
  switch (ndim) {
    case 1: return {n, rows * columns};
    case 2: return {n, rows, columns};
    case 3: return {n, 1, rows, columns};
  }
  throw ValueError{"ndim", ndim, "1, 2 or 3"};
}

TupleDataset make(const Part& part, const MnistOptions& options, std::string_view name,
                  std::optional<std::int64_t> size) {
  check_counts(part);
  check_labels(part);
  const Array images = part.images.reshape(image_shape(part.images.shape(), options.ndim));
  std::vector<Field> fields{Field{images, options.dtype, 255.0 / options.scale}};
  if (options.withlabel) fields.emplace_back(part.labels, options.label_dtype);
  const TupleDataset dataset{std::move(fields)};
  if (!size) return dataset;
  if (*size < 1 || *size > dataset.size()) throw ValueError{name, *size, fmt::format("1 to {}", dataset.size())};
  return dataset.slice(0, *size);
}

std::pair<TupleDataset, TupleDataset> load(const MnistSource& source, const MnistOptions& options) {
  if (!(options.scale > 0.0)) throw ValueError{"scale", options.scale, "above 0"};
  image_shape({0, 0, 0}, options.ndim);  // before the work, not after
  const auto paths = find_mnist_files(source, options.data_dir);
  Part train{paths[0], paths[1], {}, {}}, test{paths[2], paths[3], {}, {}};
  // The images of the train set take three quarters of the time; the rest is read meanwhile.
  auto rest = std::async(std::launch::async, [&] {
    train.labels = read_idx(train.labels_path, IdxKind::labels);
    test.images = read_idx(test.images_path, IdxKind::images);
    test.labels = read_idx(test.labels_path, IdxKind::labels);
  });
  train.images = read_idx(train.images_path, IdxKind::images);
  rest.get();
  return {make(train, options, "train_size", options.train_size), make(test, options, "test_size", options.test_size)};
}

}  // namespace

std::pair<TupleDataset, TupleDataset> get_mnist(const MnistOptions& options) { return load(mnist_source(), options); }

std::pair<TupleDataset, TupleDataset> get_fashion_mnist(const MnistOptions& options) {
  return load(fashion_mnist_source(), options);
}

}  // namespace renkei::datasets
