#include <renkei/lib/functions/evaluation.h>

#include <renkei/lib/autograd/function_node.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/functions/labels.h>
#include <renkei/lib/kernels/loss.h>

namespace renkei::functions {

Variable accuracy(const Variable& y, const Variable& t, const AccuracyOptions& options) {
  check_same_device("accuracy", {y, t});
  check_labels("accuracy", "y", y.data(), t.data());
  const Array result = empty({}, y.dtype(), y.device());
  result.device().kernel<kernels::Accuracy>()(with_classes(y.data()), flat_labels(t.data()), options.ignore_label, result);
  return Variable{result};
}

}  // namespace renkei::functions
