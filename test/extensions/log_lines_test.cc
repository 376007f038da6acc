#include <catch2/catch.hpp>

#include <csignal>
#include <sstream>

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include <renkei/extensions/log_report.h>
#include <renkei/extensions/snapshot.h>
#include <renkei/lib/core/error.h>
#include <renkei/lib/reporter/reporter.h>

#include "support/capture.h"
#include "support/fake_updater.h"
#include "support/temporary_folder.h"
#include "support/throws.h"

using namespace renkei;
using namespace renkei::test;
using extensions::LogReport;
using extensions::LogReportOptions;
using Json = nlohmann::ordered_json;

namespace {

LogReportOptions lines() {
  return {.trigger = {1, "iteration"}, .format = extensions::LogFormat::lines,
          .postprocess = [](extensions::LogEntry& entry) { entry.set("elapsed_time", 0.5); }};
}

/// A training with a log of lines, one an iteration.
struct Lines {
  Lines(const std::string& out, std::int64_t iterations) : trainer{updater, {static_cast<double>(iterations), "iteration"}, out} {
    updater.step = [](std::int64_t i) { report("loss", static_cast<double>(i)); };
    log = &trainer.extend(LogReport{lines()});
  }
  FakeUpdater updater;
  Trainer trainer;
  LogReport* log;
};

std::vector<Json> parsed(const std::string& path) {
  std::istringstream file{read_bytes(path)};
  std::vector<Json> entries;
  for (std::string line; std::getline(file, line);) entries.push_back(Json::parse(line));
  return entries;
}

std::vector<int> iterations(const std::string& path) {
  std::vector<int> result;
  for (const Json& entry : parsed(path)) result.push_back(entry.at("iteration"));
  return result;
}

}  // namespace

TEST_CASE("a log of lines has one JSON object in each") {
  const TemporaryFolder out;
  Lines training{out.path(), 2};
  training.trainer.run();
  CHECK(read_bytes(out / "log") ==
        "{\"loss\":1.0,\"epoch\":0,\"iteration\":1,\"elapsed_time\":0.5}\n"
        "{\"loss\":2.0,\"epoch\":0,\"iteration\":2,\"elapsed_time\":0.5}\n");
}

TEST_CASE("a new training begins a new log of lines") {
  const TemporaryFolder out;
  write_bytes(out / "log", "{\"old\":1}\n");
  Lines training{out.path(), 1};
  training.trainer.run();
  CHECK(iterations(out / "log") == std::vector<int>{1});
}

TEST_CASE("a resumed log of lines loses what came after the snapshot, and half a line of a killed run") {
  const TemporaryFolder out;
  Lines first{out.path(), 3};
  first.trainer.run();
  const Dictionary snapshot = saved(first.trainer);
  write_bytes(out / "log", read_bytes(out / "log") + "{\"loss\":9.0,\"iteration\":4}\n{\"lo");
  Lines second{out.path(), 5};
  second.trainer.resume("snapshot", snapshot);
  second.trainer.run();
  CHECK(iterations(out / "log") == std::vector<int>{1, 2, 3, 4, 5});
  Lines third{out.path(), 6};
  third.trainer.resume("snapshot", saved(second.trainer));
  third.trainer.run();
  CHECK(iterations(out / "log") == std::vector<int>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a snapshot does not grow with a log of lines") {
  const TemporaryFolder out;
  const auto size_after = [&](std::int64_t iterations) {
    Lines training{out.path(), iterations};
    training.trainer.run();
    save_npz(out / "snapshot", training.trainer);
    return std::filesystem::file_size(out / "snapshot");
  };
  CHECK(size_after(1000) == size_after(10));
}

TEST_CASE("every line of a killed training is whole") {
  for (int round = 0; round < 5; ++round) {
    const TemporaryFolder out;
    const ::pid_t child = ::fork();
    if (child == 0) {
      Lines endless{out.path(), 100'000'000};
      endless.trainer.run();
      ::_exit(0);
    }
    while (!std::filesystem::exists(out / "log") || std::filesystem::file_size(out / "log") < 1000 * (round + 1u)) ::usleep(500);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    const std::string text = read_bytes(out / "log");
    const auto whole = text.substr(0, text.rfind('\n') + 1);
    CHECK(text.size() - whole.size() < 200);
    std::istringstream lines{whole};
    for (std::string line; std::getline(lines, line);) REQUIRE(Json::accept(line));
  }
}

TEST_CASE("a log of lines that cannot be appended to is an error naming the file") {
  if (!std::filesystem::exists("/dev/full")) return;
  const TemporaryFolder out;
  const Capture errors;
  Lines training{out.path(), 1};
  training.updater.step = [&](std::int64_t) {  // as if the disk had filled up meanwhile
    std::filesystem::remove(out / "log");
    std::filesystem::create_symlink("/dev/full", out / "log");
  };
  check_error<FileError>([&] { training.trainer.run(); }, {out / "log", "append"});
}
