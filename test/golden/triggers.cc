// When triggers fire, straight and resumed, and when they end a run. Updates are counted, nothing is trained.
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/serializers/serializer.h>
#include <renkei/trainer/trainer.h>
#include <renkei/trainer/trigger.h>

#include "golden/golden.h"

namespace golden {
namespace {

using namespace renkei;
using nlohmann::json;

/// An updater that only counts samples.
class Counter final : public Updater {
 public:
  Counter(std::int64_t epoch_size, std::int64_t batch_size) : epoch_size_{epoch_size}, batch_size_{batch_size} {}

  std::int64_t epoch() const override { return samples_seen() / epoch_size_; }
  double epoch_detail() const override { return detail(samples_seen()); }
  std::optional<double> previous_epoch_detail() const override { return detail(previous()); }
  bool is_new_epoch() const override { return epoch() != previous() / epoch_size_; }
  std::int64_t samples_seen() const override { return iteration() * batch_size_; }
  std::int64_t epoch_size() const override { return epoch_size_; }
  std::vector<std::pair<std::string, Optimizer*>> optimizers() const override { return {}; }
  void serialize(Serializer& s) override { serialize_iteration(s); }

 protected:
  void update_core() override {}

 private:
  std::int64_t previous() const { return samples_seen() - batch_size_; }
  double detail(std::int64_t samples) const { return static_cast<double>(samples) / static_cast<double>(epoch_size_); }

  std::int64_t epoch_size_, batch_size_;
};

struct Setting {
  double period;
  std::string unit;
  std::int64_t dataset_size, batch_size, iterations, resume_at;
};

/// A trigger in a loop of its own, as a trainer has it.
struct Loop {
  explicit Loop(const Setting& setting)
      : updater{setting.dataset_size, setting.batch_size}, trainer{updater},
        trigger{TriggerSpec{setting.period, setting.unit}.as_interval()} {}

  void run_until(std::int64_t iteration, std::vector<std::int64_t>& fired) {
    while (updater.iteration() < iteration) {
      updater.update();
      if ((*trigger)(trainer)) fired.push_back(updater.iteration());
    }
  }
  void serialize(Serializer& s) {
    s.object("updater", updater);
    s.object("trigger", *trigger);
  }

  Counter updater;
  Trainer trainer;
  std::unique_ptr<Trigger> trigger;
};

std::vector<std::int64_t> fired_resumed(const Setting& setting) {
  std::vector<std::int64_t> fired;
  Dictionary snapshot;
  {
    Loop first{setting};
    first.run_until(setting.resume_at, fired);
    Serializer s = Serializer::saving(snapshot);
    first.serialize(s);
  }
  Loop second{setting};
  Serializer s = Serializer::loading(snapshot, "snapshot");
  second.serialize(s);
  s.finish();
  second.run_until(setting.iterations, fired);
  return fired;
}

void check_interval(Outcome& outcome, const json& facts, const json& all) {
  const std::string id = facts.at("id");
  for (const json& config : all.at("configs")) {
    const Setting setting{facts.at("args").at("period"), facts.at("args").at("unit"), config.at("dataset_size"),
                          config.at("batch_size"),       all.at("iterations"),        all.at("resume_at")};
    const std::string where = fmt::format("{} samples, ", setting.dataset_size);
    std::vector<std::int64_t> fired;
    Loop{setting}.run_until(setting.iterations, fired);
    const auto list = [](const std::vector<std::int64_t>& values) { return fmt::format("{}", values); };
    const json& wanted = config.at("fired").at(id);
    outcome.equal(where + "uninterrupted", list(fired), list(wanted.at("uninterrupted")));
    outcome.equal(where + "resumed", list(fired_resumed(setting)), list(wanted.at("resumed")));

    for (const json& stop : config.at("stop")) {
      if (stop.at("id") != id || stop.at("trigger") != "tuple") continue;
      Loop loop{setting};
      const auto limit = TriggerSpec{setting.period, setting.unit}.as_limit();
      while (!(*limit)(loop.trainer)) loop.updater.update();
      outcome.equal(where + "iterations until it stops", std::to_string(loop.updater.iteration()),
                    stop.at("iterations_run").dump());
    }
  }
}

}  // namespace

void add_triggers(Suite& suite) {
  if (!suite.has("triggers.json")) return;
  const json& all = suite.json("triggers.json");
  for (const json& facts : all.at("triggers")) {
    const std::string name = facts.at("trigger");
    Case c{"triggers", name, facts.at("id"), {}};
    if (name == "IntervalTrigger" || name == "tuple")
      c.run = [&facts, &all](Outcome& outcome) { check_interval(outcome, facts, all); };
    suite.add(std::move(c));
  }
}

}  // namespace golden
