// ProgressBar: how far training is, painted below the report. On a terminal only.
#pragma once

#include <cstdio>
#include <deque>
#include <optional>
#include <utility>

#include <renkei/trainer/extension.h>

namespace renkei::extensions {

struct ProgressBarOptions {
  std::optional<TrainingLength> training_length = {};  ///< none: asked of the trainer's stop trigger
  std::int64_t update_interval = 100;                  ///< iterations between two paintings
  int bar_length = 50;                                 ///< characters
  std::FILE* out = stdout;
};

class ProgressBar final : public Extension {
 public:
  /// Throws ValueError for an interval or length below 1.
  explicit ProgressBar(ProgressBarOptions options = {});

  std::string default_name() const override { return "ProgressBar"; }
  void call(Trainer& trainer) override;
  void finalize() override;

  /// The four lines, without control codes; three when the length of the training is not known.
  std::string lines(const Trainer& trainer);

 private:
  std::string bar(std::string_view label, double rate) const;

  ProgressBarOptions options_;
  std::deque<std::pair<double, double>> paintings_;  // iteration and seconds of a clock at the last 100
  bool painted_ = false;
};

}  // namespace renkei::extensions
