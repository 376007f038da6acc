// A whole training that is small: a perceptron with dropout, Adam and a shuffled iterator, and everything around it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include <renkei/renkei.h>

#include "support/fake_updater.h"

namespace renkei::test {

/// `n` examples of 4 numbers with labels 0 and 1; which example it is can be read from its first number.
inline TupleDataset small_data(std::int64_t n) {
  std::vector<float> x;
  std::vector<std::int32_t> t;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < 4; ++k) x.push_back(k == 0 ? static_cast<float>(i) / 8 : static_cast<float>((i * 7 + k * 3) % 5) - 2);
    t.push_back(static_cast<std::int32_t>((i * 5 / 3) % 2));
  }
  return TupleDataset{{Field{to_array(x, {n, 4})}, Field{to_array(t, {n})}}};
}

struct SmallNet : Chain {
  explicit SmallNet(std::int64_t units) : l1{*this, "l1", 4, units}, l2{*this, "l2", units, 2} {}
  links::Linear l1, l2;
  Variable forward(const Variable& x) { return l2(functions::dropout(functions::relu(l1(x)), 0.3)); }
};

struct SmallTraining {
  struct Options {
    std::int64_t size = 10, batch = 4, units = 5;
    std::function<std::unique_ptr<Iterator>(const Dataset&, std::int64_t batch)> make_iterator = {};
    LossFunction loss_func = {};
  };

  /// Runs until `stop`; the log is kept with elapsed_time 0.
  SmallTraining(const std::string& out, TriggerSpec stop) : SmallTraining{out, std::move(stop), Options{}} {}
  SmallTraining(const std::string& out, TriggerSpec stop, Options options)
      : data{small_data(options.size)}, model{SmallNet{options.units}}, test_iterator{data, 3, {.repeat = false, .shuffle = false}} {
    optimizer.setup(model);
    iterator = options.make_iterator ? options.make_iterator(data, options.batch)
                                     : std::make_unique<iterators::SerialIterator>(data, options.batch);
    updater.emplace(*iterator, optimizer, updaters::StandardOptions{.loss_func = std::move(options.loss_func)});
    trainer.emplace(*updater, std::move(stop), out);
    trainer->extend(extensions::Evaluator{test_iterator, model});
    trainer->extend(extensions::observe_lr());
    log = &trainer->extend(extensions::LogReport{{.postprocess = [](extensions::LogEntry& entry) { entry.set("elapsed_time", 0); }}});
  }

  TupleDataset data;
  links::Classifier<SmallNet> model;
  optimizers::Adam optimizer{{.alpha = 0.05}};
  std::unique_ptr<Iterator> iterator;
  iterators::SerialIterator test_iterator;
  std::optional<updaters::StandardUpdater> updater;
  std::optional<Trainer> trainer;
  extensions::LogReport* log;
};

}  // namespace renkei::test
