// train_mnist: whole training runs of a multi-layer perceptron on the first examples of (Fashion-)MNIST, with an
// evaluator and a log. Everything that may differ from run to run is read from facts.json.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/core/error.h>
#include <renkei/renkei.h>

#include "golden/golden.h"
#include "support/capture.h"
#include "support/temporary_folder.h"

namespace golden {
namespace {

using namespace renkei;
using nlohmann::json;
using nlohmann::ordered_json;

const std::string kFolder = "train_mnist/";

struct MLP : Chain {
  explicit MLP(const Dictionary& init)
      : l1{*this, "l1", units(init, "l1")}, l2{*this, "l2", units(init, "l2")}, l3{*this, "l3", units(init, "l3")} {}
  static std::int64_t units(const Dictionary& init, const std::string& layer) {
    return std::get<Array>(init.at("predictor/" + layer + "/b")).size();
  }
  links::Linear l1, l2, l3;
  Variable forward(const Variable& x) { return l3(functions::relu(l2(functions::relu(l1(x))))); }
};

std::unique_ptr<Optimizer> make_optimizer(const json& run) {
  const std::string name = run.at("optimizer");
  std::unique_ptr<Optimizer> optimizer;
  if (name == "sgd") optimizer = std::make_unique<optimizers::SGD>();
  if (name == "momentum") optimizer = std::make_unique<optimizers::MomentumSGD>();
  if (name == "adam") optimizer = std::make_unique<optimizers::Adam>();
  if (!optimizer) throw Error{fmt::format("facts.json: no optimizer is called {}", name)};
  const json hyperparameters = run.value("hyperparams", json::object());
  for (const auto& [key, value] : hyperparameters.items()) optimizer->set(key, value.get<double>());
  return optimizer;
}

std::int64_t total(const json& counts) {
  std::int64_t sum = 0;
  for (const json& count : counts) sum += count.get<std::int64_t>();
  return sum;
}

using Data = std::pair<TupleDataset, TupleDataset>;

Data load_data(const json& facts) {
  const datasets::MnistOptions options{.train_size = total(facts.at("label_counts_train")),
                                       .test_size = total(facts.at("label_counts_test"))};
  const bool is_mnist = facts.at("data").at("name") == "MNIST";
  try {
    return is_mnist ? datasets::get_mnist(options) : datasets::get_fashion_mnist(options);
  } catch (const FileError& error) {
    throw Error{fmt::format("{}; {}", error.what(),
                            is_mnist ? "put the files of MNIST there" : "install the package dataset-fashion-mnist")};
  }
}

void check_labels(Outcome& outcome, const std::string& what, const Dataset& data, const json& want) {
  std::vector<std::int64_t> counts(want.size());
  for (std::int64_t i = 0; i < data.size(); ++i) ++counts.at(static_cast<std::size_t>(to_double(data.get(i)[1])));
  outcome.equal("label counts of " + what, fmt::format("[{}]", fmt::join(counts, ",")), want.dump());
}

/// One training with everything a script would put around it.
struct Training {
  Training(Suite& suite, const json& facts, const Data& data, const std::string& name, std::int64_t epochs, std::string out)
      : model{MLP{suite.npz(kFolder + "init.npz")}},
        optimizer{make_optimizer(facts.at("runs").at(name))},
        train{data.first, facts.at("batch"), {.shuffle = facts.at("shuffle").get<bool>()}},
        test{data.second, facts.at("test_batch"), {.repeat = false, .shuffle = false}} {
    load_npz(suite.path(kFolder + "init.npz"), model);
    optimizer->setup(model);
    updater.emplace(train, *optimizer);
    trainer.emplace(*updater, TriggerSpec{static_cast<double>(epochs), "epoch"}, std::move(out));
    evaluator = &trainer->extend(extensions::Evaluator{test, model});
    trainer->extend(extensions::snapshot(), {.trigger = {static_cast<double>(epochs), "epoch"}});
    log = &trainer->extend(extensions::LogReport{});
    trainer->extend(
        [this](Trainer& t) {
          losses.push_back(t.observation().find("main/loss")->value());
          accuracies.push_back(t.observation().find("main/accuracy")->value());
        },
        {.trigger = {1, "iteration"}});
  }

  links::Classifier<MLP> model;
  std::unique_ptr<Optimizer> optimizer;
  iterators::SerialIterator train, test;
  std::optional<updaters::StandardUpdater> updater;
  std::optional<Trainer> trainer;
  extensions::Evaluator* evaluator;
  extensions::LogReport* log;
  std::vector<double> losses, accuracies;
};

/// What is allowed: ten times the rounding of the run, and at least 1e-5.
struct Allowed {
  explicit Allowed(const json& rounding)
      : loss{atol(rounding.at("max_loss_diff"))},
        validation{atol(rounding.at("max_validation_loss_diff"))},
        parameter{atol(rounding.at("max_param_diff"))} {}
  static Tolerance atol(double rounding) { return {.atol = std::max(10 * rounding, 1e-5)}; }
  Tolerance loss, validation, parameter;
};

void check_trace(Outcome& outcome, const Training& training, const json& trace, const Allowed& allowed) {
  const json& rows = trace.at("rows");
  outcome.equal("number of iterations", std::to_string(training.losses.size()), std::to_string(rows.size()));
  for (std::size_t i = 0; i < std::min(rows.size(), training.losses.size()); ++i) {
    outcome.compare(fmt::format("main/loss of iteration {}", i + 1), training.losses[i], rows[i][0].get<double>(), allowed.loss);
    outcome.compare(fmt::format("main/accuracy of iteration {}", i + 1), training.accuracies[i], rows[i][1].get<double>(), allowed.loss);
  }
}

void check_entry(Outcome& outcome, const std::string& what, const ordered_json& got, const ordered_json& want, const Allowed& allowed) {
  std::vector<std::string> got_keys, want_keys;
  for (const auto& [key, value] : got.items()) got_keys.push_back(key);
  for (const auto& [key, value] : want.items()) want_keys.push_back(key);
  outcome.equal(what, fmt::format("{}", fmt::join(got_keys, ", ")), fmt::format("{}", fmt::join(want_keys, ", ")));
  if (got_keys != want_keys) return;
  for (const auto& [key, value] : want.items()) {
    if (key == "elapsed_time") continue;
    const bool is_validation = key.starts_with("validation/");
    outcome.compare(what + ": " + key, got.at(key).get<double>(), value.get<double>(), is_validation ? allowed.validation : allowed.loss);
  }
}

void check_log(Outcome& outcome, const std::string& path, const std::string& golden_path, const Allowed& allowed) {
  const auto got = ordered_json::parse(std::ifstream{path}), want = ordered_json::parse(std::ifstream{golden_path});
  outcome.equal("number of log entries", std::to_string(got.size()), std::to_string(want.size()));
  for (std::size_t i = 0; i < std::min(got.size(), want.size()); ++i)
    check_entry(outcome, fmt::format("log entry {}", i), got[i], want[i], allowed);
}

void check_parameters(Suite& suite, Outcome& outcome, const std::string& name, Link& model, Tolerance tolerance) {
  const Dictionary& want = suite.npz(kFolder + name + "/final.npz");
  outcome.equal("number of parameters", std::to_string(model.named_params().size()), std::to_string(want.size()));
  for (const auto& [key, value] : want)
    outcome.compare(key, model.param(key).data(), std::get<Array>(value), tolerance);
}

/// Chainer's log prints as Chainer's table, but for the escape codes that it writes into files too.
void check_print(Suite& suite, Outcome& outcome, Training& training, const std::string& folder) {
  std::string want = renkei::test::read_bytes(suite.path(folder + "/print.txt"));
  for (std::size_t at = want.find("\033[J"); at != std::string::npos; at = want.find("\033[J")) want.erase(at, 3);
  std::istringstream header{want.substr(0, want.find('\n'))};
  const std::vector<std::string> columns{std::istream_iterator<std::string>{header}, {}};

  Dictionary snapshot;
  Serializer saver = Serializer::saving(snapshot);
  training.trainer->serialize(saver);
  snapshot["extensions/LogReport/_log"] = renkei::test::read_bytes(suite.path(folder + "/log"));
  training.trainer->resume("log", snapshot);
  const renkei::test::TextStream printed;
  auto& table = training.trainer->extend(extensions::PrintReport{columns, "LogReport", printed});
  table.initialize(*training.trainer);
  table.call(*training.trainer);
  std::istringstream got_lines{printed.text()}, want_lines{want};
  outcome.equal("length of the table", std::to_string(printed.text().size()), std::to_string(want.size()));
  for (std::string got_line, line; std::getline(got_lines, got_line) && std::getline(want_lines, line);)
    outcome.equal("line of the table", got_line, line);
}

/// From Chainer's snapshot the run goes on to the same end, and beyond.
void check_resume(Suite& suite, Outcome& outcome, const json& facts, const Data& data, const std::string& name,
                  const std::string& snapshot) {
  const Allowed allowed{facts.at("runs").at(name).at("rounding")};
  const std::int64_t iterations = facts.at("iterations"), epochs = facts.at("epochs");
  const renkei::test::TemporaryFolder folder;
  Training training{suite, facts, data, name, epochs, folder.path()};
  training.trainer->resume(snapshot);
  const std::int64_t resumed_at = training.updater->iteration();
  training.trainer->run();
  outcome.equal("last iteration", std::to_string(training.updater->iteration()), std::to_string(iterations));
  check_parameters(suite, outcome, name, training.model, resumed_at == iterations ? Tolerance{} : allowed.parameter);
  const auto& final_log = facts.at("runs").at(name).at("final_log");
  for (const auto& [key, reported] : training.evaluator->evaluate("validation/main"))
    outcome.compare("evaluated after loading: " + key, reported.value(), final_log.at(key).get<double>(), allowed.validation);
  for (const auto& [key, value] : final_log.items())
    outcome.compare("loaded log: " + key, training.log->log().back().find(key).value_or(NAN), value.get<double>(), allowed.loss);

  Training further{suite, facts, data, name, epochs + 1, folder.path()};
  further.trainer->resume(snapshot);
  further.trainer->run();
  outcome.equal("last iteration, trained on", std::to_string(further.updater->iteration()), std::to_string(iterations / epochs * (epochs + 1)));
  outcome.equal("log entries, trained on", std::to_string(further.log->log().size()), std::to_string(epochs + 1));
  outcome.expect(std::isfinite(further.losses.back()), "the loss is not finite after training on");
}

void run(Suite& suite, Outcome& outcome, const std::string& name) {
  const DeviceScope scope{suite.device()};
  const json& facts = suite.json(kFolder + "facts.json");
  const Allowed allowed{facts.at("runs").at(name).at("rounding")};
  const std::string folder = kFolder + name;

  const Data data = load_data(facts);
  check_labels(outcome, "training data", data.first, facts.at("label_counts_train"));
  check_labels(outcome, "test data", data.second, facts.at("label_counts_test"));
  const renkei::test::TemporaryFolder out;
  Training training{suite, facts, data, name, facts.at("epochs"), out.path()};
  training.trainer->run();
  check_trace(outcome, training, suite.json(folder + "/trace.json"), allowed);
  check_log(outcome, out / "log", suite.path(folder + "/log"), allowed);
  if (suite.has(folder + "/final.npz")) check_parameters(suite, outcome, name, training.model, allowed.parameter);
  if (suite.has(folder + "/print.txt")) check_print(suite, outcome, training, folder);
  for (const auto& file : std::filesystem::directory_iterator{suite.path(folder)}) {
    const std::string snapshot = file.path().filename();
    if (snapshot.starts_with("snapshot_iter_")) check_resume(suite, outcome, facts, data, name, file.path());
  }
}

}  // namespace

void add_train_mnist(Suite& suite) {
  if (!suite.has(kFolder + "facts.json")) return;
  const json& runs = suite.json(kFolder + "facts.json").at("runs");
  for (const std::string& name : suite.folders("train_mnist")) {
    Case c{"train_mnist", name, kFolder + name, {}};
    if (runs.contains(name) && runs.at(name).value("replicas", 1) == 1)
      c.run = [&suite, name](Outcome& outcome) { run(suite, outcome, name); };
    suite.add(std::move(c));
  }
}

}  // namespace golden
