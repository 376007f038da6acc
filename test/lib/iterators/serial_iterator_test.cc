#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <type_traits>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/iterators/serial_iterator.h>

#include "numbers.h"

using namespace renkei;
using iterators::SerialIterator;
using Catch::Matchers::Contains;
using Batches = std::vector<std::vector<float>>;

namespace {

std::vector<std::string> keys(const Dictionary& dictionary) {
  std::vector<std::string> result;
  for (const auto& [key, value] : dictionary) result.push_back(key);
  return result;
}

std::vector<float> joined(const Batches& batches) {
  std::vector<float> result;
  for (const auto& batch : batches) result.insert(result.end(), batch.begin(), batch.end());
  return result;
}

Array order_array(const std::vector<std::int64_t>& order) {
  return to_array(order, {static_cast<std::int64_t>(order.size())});
}

}  // namespace

TEST_CASE("a repeating iterator gives full batches that wrap into the next epoch") {
  const TupleDataset dataset = numbers(5);
  SerialIterator iterator{dataset, 3, {.shuffle = false}};
  CHECK(iterator.epoch_detail() == 0.0);
  CHECK_FALSE(iterator.previous_epoch_detail());
  CHECK_FALSE(iterator.is_new_epoch());
  const Batches expected{{0, 1, 2}, {3, 4, 0}, {1, 2, 3}, {4, 0, 1}, {2, 3, 4}};
  const std::vector<double> detail{0.6, 1.2, 1.8, 2.4, 3.0};
  const std::vector<bool> is_new{false, true, false, true, true};
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const std::int64_t before = iterator.samples_seen();
    CHECK(take(iterator, 1)[0] == expected[k]);
    CHECK(iterator.epoch_detail() == Approx(detail[k]));
    CHECK(iterator.is_new_epoch() == is_new[k]);
    CHECK(iterator.samples_seen() == static_cast<std::int64_t>(3 * (k + 1)));
    CHECK(iterator.previous_samples_seen() == before);
  }
  CHECK(iterator.epoch() == 3);
  CHECK(iterator.current_position() == 0);
}

TEST_CASE("an iterator that does not repeat ends with a short batch, and reset starts it again") {
  const TupleDataset dataset = numbers(5);
  SerialIterator iterator{dataset, 3, {.repeat = false, .shuffle = false}};
  for (int pass = 0; pass < 2; ++pass) {
    CHECK(take(iterator, 9) == Batches{{0, 1, 2}, {3, 4}});
    CHECK(iterator.epoch() == 1);
    CHECK(iterator.epoch_detail() == 1.0);
    CHECK(iterator.is_new_epoch());
    CHECK_FALSE(iterator.next());
    CHECK(iterator.previous_epoch_detail() == 1.0);
    iterator.reset();
    CHECK(iterator.samples_seen() == 0);
    CHECK_FALSE(iterator.previous_epoch_detail());
  }
}

TEST_CASE("a batch may hold several epochs") {
  const TupleDataset dataset = numbers(2);
  SerialIterator repeating{dataset, 5, {.shuffle = false}};
  CHECK(take(repeating, 2) == Batches{{0, 1, 0, 1, 0}, {1, 0, 1, 0, 1}});
  CHECK(repeating.epoch() == 5);
  SerialIterator once{dataset, 5, {.repeat = false, .shuffle = false}};
  CHECK(take(once, 2) == Batches{{0, 1}});
}

TEST_CASE("a data set of one example") {
  const TupleDataset dataset = numbers(1);
  SerialIterator iterator{dataset, 1};
  CHECK(take(iterator, 3) == Batches{{0}, {0}, {0}});
  CHECK(iterator.epoch() == 3);
  CHECK(iterator.is_new_epoch());
}

TEST_CASE("each epoch has every example once, in another order") {
  const TupleDataset dataset = numbers(20);
  SerialIterator iterator{dataset, 5, {.seed = 3}};
  std::set<std::vector<float>> orders;
  for (int epoch = 0; epoch < 4; ++epoch) {
    std::vector<float> order = joined(take(iterator, 4));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    CHECK(order == to_vector<float>(dataset.fields()[0].array));
  }
  CHECK(orders.size() == 4);
}

TEST_CASE("the order of an epoch is a function of seed and epoch, whatever the batch size") {
  const TupleDataset dataset = numbers(20);
  SerialIterator threes{dataset, 3, {.seed = 3}}, sevens{dataset, 7, {.seed = 3}}, other{dataset, 3, {.seed = 4}};
  const auto a = joined(take(threes, 70)), b = joined(take(sevens, 30));
  CHECK(a == b);
  CHECK(joined(take(other, 70)) != a);
}

TEST_CASE("without a seed iterators follow the run's generator, each on its own") {
  const TupleDataset dataset = numbers(20);
  default_generator().reset(5);
  SerialIterator a{dataset, 20}, b{dataset, 20};
  default_generator().reset(5);
  SerialIterator c{dataset, 20};
  const Batches of_a = take(a, 2);
  CHECK(of_a != take(b, 2));
  CHECK(of_a == take(c, 2));
}

TEST_CASE("an order sampler is given the order and the position it is left at") {
  const TupleDataset dataset = numbers(10);
  std::vector<std::int64_t> positions;
  std::vector<Order> given;
  const auto sampler = [&](const Order& current, std::int64_t position) {
    given.push_back(current);
    positions.push_back(position);
    Order next = current;
    std::rotate(next.begin(), next.begin() + 1, next.end());
    return next;
  };
  SerialIterator iterator{dataset, 4, {.order_sampler = sampler}};
  CHECK(take(iterator, 3) == Batches{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 0, 2, 3}});
  CHECK(positions == std::vector<std::int64_t>{0, 8});
  CHECK(given[0] == Order{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(given[1] == Order{1, 2, 3, 4, 5, 6, 7, 8, 9, 0});
}

TEST_CASE("an order sampler may leave out and repeat examples; its length counts an epoch") {
  const TupleDataset dataset = numbers(10);
  SerialIterator iterator{dataset, 2, {.order_sampler = [](const Order&, std::int64_t) { return Order{7, 7, 1, 7}; }}};
  CHECK(iterator.epoch_size() == 4);
  CHECK(iterator.dataset_size() == 10);
  CHECK(take(iterator, 2) == Batches{{7, 7}, {1, 7}});
  CHECK(iterator.epoch() == 1);
}

TEST_CASE("an order sampler that changes the length or names no example is refused") {
  const TupleDataset dataset = numbers(4);
  int call = 0;
  SerialIterator shrinking{dataset, 4, {.order_sampler = [&](const Order& current, std::int64_t) {
                             return call++ ? Order{0, 1, 2} : current;
                           }}};
  CHECK_THROWS_WITH(shrinking.next(), Contains("got 3") && Contains("4"));
  CHECK_THROWS_WITH((SerialIterator{dataset,
                                    1,
                                    {.order_sampler =
                                         [](const Order&, std::int64_t) {
                                           return Order{0, 4};
                                         }}}),
                    Contains("order_sampler") && Contains("got 4"));
  const auto same = [](const Order& current, std::int64_t) { return current; };
  CHECK_THROWS_AS((SerialIterator{dataset, 1, {.shuffle = false, .order_sampler = same}}), ValueError);
}

TEST_CASE("batch sizes below 1 and endless repetition of nothing are refused") {
  const TupleDataset dataset = numbers(4), none = numbers(0);
  CHECK_THROWS_WITH((SerialIterator{dataset, 0}), "batch_size: got 0; want at least 1");
  CHECK_THROWS_WITH((SerialIterator{dataset, -3}), "batch_size: got -3; want at least 1");
  CHECK_THROWS_AS((SerialIterator{none, 2}), ValueError);
  CHECK_THROWS_AS((SerialIterator{none, 2, {.shuffle = false}}), ValueError);
  SerialIterator empty{none, 2, {.repeat = false}};
  CHECK_FALSE(empty.next());
  CHECK(empty.epoch_detail() == 0.0);
}

TEST_CASE("a data set that would not outlive the iterator does not compile") {
  CHECK_FALSE(std::is_constructible_v<SerialIterator, TupleDataset, int>);
  CHECK(std::is_constructible_v<SerialIterator, const TupleDataset&, int>);
}

TEST_CASE("the keys saved are Chainer's; the order only when there is one") {
  const TupleDataset dataset = numbers(10);
  SerialIterator plain{dataset, 4, {.shuffle = false}}, shuffled{dataset, 4};
  CHECK(keys(saved(plain)) ==
        std::vector<std::string>{"current_position", "epoch", "is_new_epoch", "previous_epoch_detail"});
  CHECK(keys(saved(shuffled)) == std::vector<std::string>{"current_position", "epoch", "is_new_epoch", "order",
                                                          "previous_epoch_detail", "seed"});
  CHECK(std::get<double>(saved(plain)["previous_epoch_detail"]) == -1.0);
  take(plain, 3);
  const Dictionary dictionary = saved(plain);
  CHECK(std::get<std::int64_t>(dictionary.at("current_position")) == 2);
  CHECK(std::get<std::int64_t>(dictionary.at("epoch")) == 1);
  CHECK(std::get<bool>(dictionary.at("is_new_epoch")));
  CHECK(std::get<double>(dictionary.at("previous_epoch_detail")) == 0.8);
}

TEST_CASE("resuming in the middle of an epoch gives the unseen examples, and the epochs that would have followed") {
  const TupleDataset dataset = numbers(10);
  for (int stop = 0; stop < 12; ++stop) {
    SerialIterator straight{dataset, 4, {.seed = 1}}, resumed{dataset, 4, {.seed = 99}};
    take(straight, stop);
    CHECK(load(resumed, saved(straight)).missing.empty());
    CHECK(resumed.samples_seen() == straight.samples_seen());
    CHECK(resumed.previous_samples_seen() == straight.previous_samples_seen());
    CHECK(resumed.is_new_epoch() == straight.is_new_epoch());
    CHECK(take(resumed, 10) == take(straight, 10));
  }
}

TEST_CASE("saving changes nothing") {
  const TupleDataset dataset = numbers(10);
  SerialIterator watched{dataset, 3, {.seed = 1}}, left_alone{dataset, 3, {.seed = 1}};
  for (int k = 0; k < 12; ++k) {
    saved(watched);
    CHECK(take(watched, 1) == take(left_alone, 1));
  }
}

TEST_CASE("a resumed epoch visits each example once") {
  const TupleDataset dataset = numbers(10);
  SerialIterator first{dataset, 2, {.seed = 1}};
  std::vector<float> seen = joined(take(first, 2));
  SerialIterator second{dataset, 2, {.seed = 1}};
  load(second, saved(first));
  const auto rest = joined(take(second, 3));
  seen.insert(seen.end(), rest.begin(), rest.end());
  std::sort(seen.begin(), seen.end());
  CHECK(seen == to_vector<float>(dataset.fields()[0].array));
  CHECK(second.epoch() == 1);
  CHECK(second.current_position() == 0);
}

TEST_CASE("a file of Chainer continues with its order") {
  const TupleDataset dataset = numbers(5);
  Dictionary chainer{{"current_position", std::int64_t{2}}, {"epoch", std::int64_t{3}},
                     {"is_new_epoch", false}, {"previous_epoch_detail", 3.2}};
  for (const char* key : {"order", "_order"}) {
    Dictionary file = chainer;
    file[key] = order_array({4, 2, 0, 1, 3});
    SerialIterator iterator{dataset, 2, {.seed = 8}};
    CHECK(load(iterator, file).extra.empty());
    CHECK(iterator.previous_samples_seen() == 16);
    CHECK(take(iterator, 1) == Batches{{0, 1}});
    CHECK(take(iterator, 1)[0][0] == 3.0f);
    CHECK(iterator.epoch() == 4);
  }
  chainer["_order"] = None{};  // MultithreadIterator without shuffling
  SerialIterator plain{dataset, 2, {.shuffle = false}};
  CHECK(load(plain, chainer).extra.empty());
  CHECK(take(plain, 1) == Batches{{2, 3}});
  SerialIterator shuffled{dataset, 2};
  CHECK_THROWS_WITH(load(shuffled, chainer), Contains("_order") && Contains("None"));
}

TEST_CASE("a file without previous_epoch_detail loads: it is one batch back") {
  const TupleDataset dataset = numbers(10);
  Dictionary old{{"current_position", std::int64_t{2}}, {"epoch", std::int64_t{1}}, {"is_new_epoch", true}};
  SerialIterator iterator{dataset, 4, {.shuffle = false}};
  load(iterator, old);
  CHECK(iterator.previous_samples_seen() == 8);
  old["current_position"] = std::int64_t{0};
  old["epoch"] = std::int64_t{0};
  load(iterator, old);
  CHECK_FALSE(iterator.previous_samples_seen());
}

TEST_CASE("a state of another data set is refused with both sizes") {
  const TupleDataset ten = numbers(10), five = numbers(5);
  SerialIterator a{ten, 4, {.seed = 1}}, b{five, 4, {.seed = 1}};
  CHECK_THROWS_AS(load(b, saved(a)), MismatchError);
  CHECK_THROWS_WITH(load(b, saved(a)), Contains("snapshot_iter_7") && Contains("order") && Contains("10 examples") &&
                                           Contains("5 examples"));
  SerialIterator c{ten, 4, {.shuffle = false}}, d{five, 4, {.shuffle = false}};
  take(c, 2);
  CHECK_THROWS_WITH(load(d, saved(c)), Contains("current_position") && Contains("has 8") && Contains("5 examples"));
  CHECK(d.samples_seen() == 0);
}

TEST_CASE("a damaged state is refused") {
  const TupleDataset dataset = numbers(3);
  SerialIterator iterator{dataset, 1, {.seed = 1}};
  Dictionary file = saved(iterator);
  file["order"] = order_array({0, 1, 3});
  CHECK_THROWS_WITH(load(iterator, file), Contains("example 3") && Contains("3 examples"));
  file["order"] = to_array<float>({0, 1, 2}, {3});
  CHECK_THROWS_WITH(load(iterator, file), Contains("order") && Contains("float32"));
  file = saved(iterator);
  file["epoch"] = std::int64_t{-1};
  CHECK_THROWS_AS(load(iterator, file), MismatchError);
  file["epoch"] = std::int64_t{0};
  file["current_position"] = std::int64_t{-1};
  CHECK_THROWS_AS(load(iterator, file), MismatchError);
}

TEST_CASE("a missing order is an error, or if allowed the order of that epoch") {
  const TupleDataset dataset = numbers(10);
  SerialIterator straight{dataset, 4, {.seed = 1}}, resumed{dataset, 4, {.seed = 1}};
  take(straight, 4);
  Dictionary file = saved(straight);
  file.erase("order");
  CHECK_THROWS_AS(load(resumed, file), MismatchError);
  CHECK(load(resumed, file, {.allow_missing = true}).missing == std::vector<std::string>{"order"});
  CHECK(take(resumed, 4) == take(straight, 4));
}

TEST_CASE("a converter makes the batch; its errors leave the iterator where it was") {
  const TupleDataset dataset = numbers(6);
  bool fails = false;
  SerialIterator iterator{
      dataset, 2, {.shuffle = false, .converter = [&](const Dataset& data, std::span<const std::int64_t> indices) {
                     if (fails) throw std::out_of_range{"no such colour"};
                     Arrays batch = data.gather(indices);
                     batch.push_back(batch[0]);
                     return batch;
                   }}};
  CHECK(iterator.next()->arrays.size() == 2);
  fails = true;
  CHECK_THROWS_WITH(iterator.next(), "examples 2, 3: no such colour");
  fails = false;
  CHECK(take(iterator, 1) == Batches{{2, 3}});
}
