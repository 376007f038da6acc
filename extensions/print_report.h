// PrintReport: prints the entries of a LogReport as a table.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include <renkei/trainer/extension.h>

namespace renkei::extensions {

class LogReport;

class PrintReport final : public Extension {
 public:
  /// `entries`: the columns. `log_report`: name of the LogReport, which must run before this one.
  explicit PrintReport(std::vector<std::string> entries, std::string log_report = "LogReport", std::FILE* out = stdout);

  std::string default_name() const override { return "PrintReport"; }
  /// Throws StateError if there is no LogReport of that name.
  void initialize(Trainer& trainer) override;
  void call(Trainer& trainer) override;

 private:
  void print_header();

  std::vector<std::string> entries_;
  std::string log_report_name_;
  std::FILE* out_;
  const LogReport* log_report_ = nullptr;
  std::size_t printed_ = 0;
  bool header_printed_ = false;
};

}  // namespace renkei::extensions
