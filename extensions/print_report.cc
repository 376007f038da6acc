#include <renkei/extensions/print_report.h>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <renkei/extensions/log_report.h>
#include <renkei/extensions/terminal.h>
#include <renkei/lib/core/error.h>
#include <renkei/trainer/trainer.h>

namespace renkei::extensions {
namespace {

/// As printf prints %g. A NaN has no sign here: the one that a processor computes is negative.
std::string text_of(double value) { return std::isnan(value) ? "nan" : fmt::format("{:g}", value); }

std::size_t width_of(const std::string& entry) { return std::max<std::size_t>(10, entry.size()); }

}  // namespace

PrintReport::PrintReport(std::vector<std::string> entries, std::string log_report, std::FILE* out)
    : entries_{std::move(entries)}, log_report_name_{std::move(log_report)}, out_{out} {}

void PrintReport::initialize(Trainer& trainer) {
  log_report_ = dynamic_cast<LogReport*>(&trainer.get_extension(log_report_name_));
  if (!log_report_) throw StateError{fmt::format("print report: the extension {} is no LogReport", log_report_name_)};
}

void PrintReport::print_header() {
  std::vector<std::string> columns;
  for (const std::string& entry : entries_) columns.push_back(fmt::format("{:<{}}", entry, width_of(entry)));
  fmt::print(out_, "{}\n", fmt::join(columns, "  "));
  header_printed_ = true;
}

void PrintReport::call(Trainer&) {
  if (!header_printed_) print_header();
  const auto& log = log_report_->log();
  printed_ = std::min(printed_, log.size());
  for (; printed_ < log.size(); ++printed_) {
    if (is_terminal(out_)) fmt::print(out_, "{}", kClearToEnd);  // takes the progress bar away
    for (const std::string& entry : entries_) {
      const auto value = log[printed_].find(entry);
      fmt::print(out_, "{:<{}}  ", value ? text_of(*value) : "", width_of(entry));
    }
    fmt::print(out_, "\n");
  }
  std::fflush(out_);
}

}  // namespace renkei::extensions
