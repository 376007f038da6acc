// LogReport: means of what was reported over an interval, kept and written to a file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <renkei/lib/reporter/summary.h>
#include <renkei/trainer/extension.h>

namespace renkei::extensions {

/// One line of the log: keys in the order they were first reported, then epoch, iteration and elapsed_time.
class LogEntry {
 public:
  void set(std::string key, double value);
  std::optional<double> find(std::string_view key) const;
  std::vector<std::pair<std::string, double>>::const_iterator begin() const { return values_.begin(); }
  std::vector<std::pair<std::string, double>>::const_iterator end() const { return values_.end(); }

 private:
  std::vector<std::pair<std::string, double>> values_;
};

/// How the log is kept.
enum class LogFormat {
  json,   ///< Chainer's: one JSON array, the whole file replaced at each entry; snapshots hold the log
  lines,  ///< one JSON object per line, appended; snapshots hold only its length
};

struct LogReportOptions {
  std::vector<std::string> keys = {};           ///< none: everything
  TriggerSpec trigger = {1, "epoch"};           ///< the interval that is averaged
  std::string filename = "log";                 ///< in the output folder; empty: no file
  LogFormat format = LogFormat::json;
  std::function<void(LogEntry&)> postprocess = {};  ///< may change an entry before it is kept
};

/// Must see every iteration (StateError if not), so leave the trigger of `extend` alone and set the interval here.
class LogReport final : public Extension {
 public:
  explicit LogReport(LogReportOptions options = {});

  std::string default_name() const override { return "LogReport"; }
  void initialize(Trainer& trainer) override;
  void call(Trainer& trainer) override;

  const std::vector<LogEntry>& log() const { return log_; }

  /// Chainer's keys _trigger/..., _summary/... and _log (JSON text); _length in its place for LogFormat::lines.
  void serialize(Serializer& s) override;

 private:
  void keep(LogEntry entry);
  void write(Trainer& trainer) const;
  void append(const std::string& path, const LogEntry& entry) const;

  LogReportOptions options_;
  std::unique_ptr<Trigger> trigger_;
  DictSummary summary_;
  std::vector<LogEntry> log_;
  std::string rows_;  // the file without its end, so that a new entry costs no rendering of the earlier ones
  std::int64_t next_iteration_ = 0;
  std::int64_t resumed_length_ = -1;  // lines to keep of the file; -1: not resumed
};

}  // namespace renkei::extensions
