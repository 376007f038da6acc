// Walks of the iterators, their state in files, and which examples go to which rank.
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <renkei/lib/datasets/scatter.h>
#include <renkei/lib/datasets/tuple_dataset.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/iterators/multithread_iterator.h>
#include <renkei/lib/iterators/serial_iterator.h>

#include "golden/golden.h"

namespace golden {
namespace {

using namespace renkei;
using iterators::MultithreadIterator;
using iterators::SerialIterator;
using nlohmann::json;
using Numbers = std::vector<std::int64_t>;

/// Example i is the number i.
TupleDataset numbers(std::int64_t n) {
  Numbers elements;
  for (std::int64_t i = 0; i < n; ++i) elements.push_back(i);
  return TupleDataset{{Field{to_array<std::int64_t>(elements, {n}, get_device("cpu"))}}};
}

std::string text(const Numbers& list) { return fmt::format("{}", list); }

/// Whether the iterator is in the state of a step, in which it returned `batch`.
void check_step(Outcome& outcome, const json& step, const Iterator& iterator, const std::optional<Batch>& batch) {
  const std::string at = fmt::format("step {} ", step.at("step").get<int>());
  const auto number = [&](const char* key, std::int64_t got) {
    outcome.equal(at + key, std::to_string(got), std::to_string(step.at(key).get<std::int64_t>()));
  };
  const auto detail = [&](const char* key, std::optional<double> got) {
    const json& want = step.at(key);
    outcome.expect(got.has_value() == !want.is_null(), at + key + (got ? ": want none" : ": none"));
    if (got && !want.is_null()) outcome.compare(at + key, *got, want, Tolerance{});
  };
  number("epoch", iterator.epoch());
  outcome.expect(iterator.is_new_epoch() == step.at("is_new_epoch").get<bool>(), at + "is_new_epoch");
  number("current_position", iterator.current_position());
  detail("epoch_detail", iterator.epoch_detail());
  detail("previous_epoch_detail", iterator.previous_epoch_detail());
  outcome.expect(batch.has_value() == !step.at("batch").is_null(), at + "batch: one too many or too few");
  if (!batch || step.at("batch").is_null()) return;
  const std::string want = text(step.at("batch").get<Numbers>());
  outcome.equal(at + "batch", text(batch->indices), want);
  outcome.equal(at + "examples", text(to_vector<std::int64_t>(batch->arrays[0])), want);
}

/// Walks along; the first step is the state before the first batch.
void check_walk(Outcome& outcome, const json& steps, Iterator& iterator) {
  for (const json& step : steps)
    check_step(outcome, step, iterator, step.at("step") == 0 ? std::nullopt : iterator.next());
}

void serial_iterator(const json& facts, Outcome& outcome) {
  const TupleDataset dataset = numbers(facts.at("dataset_size"));
  SerialIterator iterator{
      dataset, facts.at("batch_size"), {.repeat = facts.at("repeat"), .shuffle = facts.at("shuffle")}};
  check_walk(outcome, facts.at("steps"), iterator);
}

void serial_ordered(const json& facts, Outcome& outcome) {
  const TupleDataset dataset = numbers(facts.at("dataset_size"));
  Numbers positions;
  const auto sampler = [&](const Order&, std::int64_t position) {
    positions.push_back(position);
    return facts.at("orders").at(positions.size() - 1).get<Order>();
  };
  SerialIterator iterator{dataset, facts.at("batch_size"), {.repeat = facts.at("repeat"), .order_sampler = sampler}};
  check_walk(outcome, facts.at("steps"), iterator);
  outcome.equal("sampler_positions", text(positions), text(facts.at("sampler_positions").get<Numbers>()));
}

std::string as_text(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return json(*flag).dump();
  if (const auto* number = std::get_if<std::int64_t>(&value)) return json(*number).dump();
  if (const auto* number = std::get_if<double>(&value)) return json(*number).dump();
  return describe(value);
}

void serial_resume(const json& facts, Outcome& outcome) {
  const TupleDataset dataset = numbers(facts.at("dataset_size"));
  const auto make = [&] {
    return std::make_unique<SerialIterator>(dataset, facts.at("batch_size"),
                                            iterators::SerialOptions{.shuffle = false});
  };
  const auto first = make();
  const bool resets = facts.contains("reset_after");
  const int batches = facts.at(resets ? "reset_after" : "saved_after");
  for (int k = 0; k < batches; ++k) first->next();
  if (resets) {
    first->reset();
    return check_walk(outcome, facts.at("steps"), *first);
  }
  Dictionary saved;
  Serializer saving = Serializer::saving(saved);
  first->serialize(saving);
  json keys;
  for (const auto& [key, value] : saved) keys[key] = json::parse(as_text(value));
  outcome.equal("saved_keys", keys.dump(), facts.at("saved_keys").dump());
  const auto second = make();
  Serializer loading = Serializer::loading(saved, "saved_keys");
  second->serialize(loading);
  loading.finish();
  check_walk(outcome, facts.at("steps"), *second);
}

void multithread_iterator(const json& facts, Outcome& outcome) {
  const TupleDataset dataset = numbers(facts.at("dataset_size"));
  MultithreadIterator iterator{
      dataset, facts.at("batch_size"), {.repeat = facts.at("repeat"), .shuffle = false, .n_threads = 2}};
  check_walk(outcome, facts.at("steps"), iterator);
}

Numbers original_indices(const SubDataset& part) {
  Numbers indices;
  for (std::int64_t i = 0; i < part.size(); ++i) indices.push_back(part.original_index(i));
  return indices;
}

void scatter_dataset(const json& facts, Outcome& outcome) {
  const TupleDataset dataset = numbers(facts.at("n"));
  const std::int64_t world = facts.at("world");
  const bool equal = facts.at("force_equal_length");
  std::multiset<std::int64_t> owned;
  for (const json& want : facts.at("ranks")) {
    const std::int64_t rank = want.at("rank");
    const Window window = scatter_index(dataset.size(), rank, world, equal);
    const Numbers indices = original_indices(scatter_dataset(dataset, rank, world, {.force_equal_length = equal}));
    outcome.equal(fmt::format("rank {}", rank), fmt::format("{} {} {}", window.begin, window.end, text(indices)),
                  fmt::format("{} {} {}", want.at("begin").get<int>(), want.at("end").get<int>(),
                              text(want.at("indices").get<Numbers>())));
    owned.insert(indices.begin(), indices.end());
  }
  const std::size_t distinct = std::set<std::int64_t>(owned.begin(), owned.end()).size();
  outcome.expect((distinct == static_cast<std::size_t>(dataset.size())) == facts.at("covers_all").get<bool>(),
                 "covers_all");
  outcome.equal("duplicates", std::to_string(owned.size() - distinct), facts.at("duplicates").dump());
}

void scatter_dataset_ordered(const json& facts, Outcome& outcome) {
  const TupleDataset dataset = numbers(facts.at("n"));
  const auto& ranks = facts.at("ranks");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const SubDataset part = renkei::scatter_dataset(
        dataset, static_cast<std::int64_t>(rank), facts.at("world"),
        {.force_equal_length = facts.at("force_equal_length"), .order = facts.at("order").get<Order>()});
    outcome.equal(fmt::format("rank {}", rank), text(original_indices(part)), text(ranks[rank].get<Numbers>()));
  }
}

void distributed_sampler(const json& facts, Outcome& outcome) {
  const auto& ranks = facts.at("ranks");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const Order order = distributed_order(facts.at("n"), static_cast<std::int64_t>(rank), facts.at("world"),
                                          facts.at("drop_last"));
    outcome.equal(fmt::format("rank {}", rank), text(order), text(ranks[rank].get<Numbers>()));
    outcome.equal("num_samples", std::to_string(order.size()), facts.at("num_samples").dump());
  }
}

const std::map<std::string, void (*)(const json&, Outcome&)> kSections{
    {"serial_iterator", serial_iterator},
    {"serial_ordered", serial_ordered},
    {"serial_resume", serial_resume},
    {"multithread_iterator", multithread_iterator},
    {"scatter_dataset", scatter_dataset},
    {"scatter_dataset_ordered", scatter_dataset_ordered},
    {"distributed_sampler", distributed_sampler}};

}  // namespace

void add_iterators(Suite& suite) {
  if (!suite.has("iterators.json")) return;
  for (const auto& [section, content] : suite.json("iterators.json").items()) {
    if (section == "format") continue;
    const auto check = kSections.find(section);
    const std::size_t count = content.is_array() ? content.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      Case c{"iterators", section, fmt::format("{}.{}", section, i), {}};
      const json& facts = content.is_array() ? content[i] : content;
      if (check != kSections.end())
        c.run = [&facts, run = check->second](Outcome& outcome) { run(facts, outcome); };
      suite.add(std::move(c));
    }
  }
}

}  // namespace golden
