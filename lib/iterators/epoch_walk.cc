#include <renkei/lib/iterators/epoch_walk.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include <renkei/lib/core/error.h>
#include <renkei/lib/core/philox.h>
#include <renkei/lib/core/random.h>
#include <renkei/lib/device/creation.h>
#include <renkei/lib/serializers/serializer.h>

namespace renkei::iterators {
namespace {

/// A seed for an iterator that was given none: every iterator of a run has its own, and it follows the run's seed.
std::uint64_t take_seed() {
  RandomGenerator& generator = default_generator();
  const PhiloxBlock block = philox(generator.seed(), generator.take_stream(), 0);
  return (std::uint64_t{block[1]} << 32) | block[0];
}

Order identity(std::int64_t size) {
  Order order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return order;
}

}  // namespace

EpochWalk::EpochWalk(std::int64_t dataset_size, std::int64_t batch_size, WalkOptions options)
    : dataset_size_{dataset_size}, batch_size_{batch_size}, options_{std::move(options)}, epoch_size_{dataset_size} {
  if (batch_size < 1) throw ValueError{"batch_size", batch_size, "at least 1"};
  if (options_.order_sampler && options_.shuffle)
    throw ValueError{"iterator: both shuffle and order_sampler are set; want one of them"};
  if (shuffles()) seed_ = options_.seed ? *options_.seed : take_seed();
}

Progress EpochWalk::start() {
  Progress progress;
  if (ordered()) {
    epoch_size_ = -1;  // the first order says it
    progress.order = draw(options_.order_sampler ? identity(dataset_size_) : Order{}, 0, 0);
    epoch_size_ = static_cast<std::int64_t>(progress.order->size());
  }
  // The second order is drawn while the first is in use. Its memory is touched now rather than within an epoch.
  if (shuffles() && options_.repeat) drawn_.push_back(std::make_shared<Order>(static_cast<std::size_t>(dataset_size_)));
  if (epoch_size_ == 0 && options_.repeat)
    throw ValueError{"iterator: number of examples", 0,
                     "at least 1 to repeat them; set repeat to false for an empty data set"};
  return progress;
}

std::shared_ptr<const Order> EpochWalk::shuffle(std::int64_t epoch) {
  auto unused = std::find_if(drawn_.begin(), drawn_.end(), [](const auto& order) { return order.use_count() == 1; });
  if (unused == drawn_.end()) unused = drawn_.insert(unused, std::make_shared<Order>());
  shuffle_into(**unused, dataset_size_, seed_, static_cast<std::uint64_t>(epoch));
  return *unused;
}

std::shared_ptr<const Order> EpochWalk::draw(const Order& current, std::int64_t position, std::int64_t epoch) {
  if (shuffles()) return shuffle(epoch);
  Order order = options_.order_sampler(current, position);
  if (epoch_size_ >= 0 && static_cast<std::int64_t>(order.size()) != epoch_size_)
    throw ValueError{"order_sampler: length of the order", order.size(), fmt::format("{}, as before", epoch_size_)};
  check_order("order_sampler", order, dataset_size_);
  return std::make_shared<const Order>(std::move(order));
}

std::optional<Step> EpochWalk::step(const Progress& at) {
  const std::int64_t n = epoch_size_;
  if (n == 0 || (!options_.repeat && at.epoch > 0)) return std::nullopt;
  Step step{{}, at};
  Progress& after = step.after;
  after.previous_samples = samples_seen(at);
  after.is_new_epoch = false;
  step.indices.reserve(static_cast<std::size_t>(options_.repeat ? batch_size_ : std::min(batch_size_, n)));
  const auto take = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      step.indices.push_back(after.order ? (*after.order)[static_cast<std::size_t>(i)] : i);
  };

  std::int64_t position = at.current_position, left = batch_size_;
  while (left >= n - position) {
    take(position, n);
    if (after.order) after.order = draw(*after.order, position, after.epoch + 1);
    ++after.epoch;
    after.is_new_epoch = true;
    left = options_.repeat ? left - (n - position) : 0;
    position = 0;
    if (!options_.repeat) break;
  }
  take(position, position + left);
  after.current_position = position + left;
  return step;
}

double EpochWalk::epoch_detail(std::int64_t samples) const {
  if (epoch_size_ == 0) return 0.0;
  const auto n = static_cast<double>(epoch_size_);
  return static_cast<double>(samples / epoch_size_) + static_cast<double>(samples % epoch_size_) / n;
}

void EpochWalk::save(Serializer& serializer, const Progress& progress) const {
  serializer.save("current_position", progress.current_position);
  serializer.save("epoch", progress.epoch);
  serializer.save("is_new_epoch", progress.is_new_epoch);
  serializer.save("previous_epoch_detail", progress.previous_samples ? epoch_detail(*progress.previous_samples) : -1.0);
  if (progress.order)
    serializer.save("order", to_array<std::int64_t>(*progress.order, {epoch_size_}, get_device("cpu")));
  if (shuffles()) serializer.save("seed", static_cast<std::int64_t>(seed_));
}

Progress EpochWalk::load(Serializer& serializer, Progress progress) {
  serializer("current_position", progress.current_position);
  serializer("epoch", progress.epoch);
  serializer("is_new_epoch", progress.is_new_epoch);
  if (progress.epoch < 0) serializer.fail("epoch", fmt::format("the file has {}; want at least 0", progress.epoch));
  if (progress.current_position < 0 || progress.current_position >= std::max<std::int64_t>(epoch_size_, 1))
    serializer.fail("current_position", fmt::format("the file has {}, but an epoch has {} examples here",
                                                    progress.current_position, epoch_size_));
  if (shuffles() && serializer.contains("seed")) {
    auto seed = static_cast<std::int64_t>(seed_);
    serializer("seed", seed);
    seed_ = static_cast<std::uint64_t>(seed);
  }
  progress.order = load_order(serializer, progress);

  const std::int64_t samples = samples_seen(progress);
  if (serializer.contains("previous_epoch_detail")) {
    double detail = -1.0;
    serializer("previous_epoch_detail", detail);
    progress.previous_samples.reset();
    if (detail >= 0.0) progress.previous_samples = std::llround(detail * static_cast<double>(epoch_size_));
  } else if (samples > 0) {  // files of old versions of Chainer
    progress.previous_samples = std::max<std::int64_t>(samples - batch_size_, 0);
  } else {
    progress.previous_samples.reset();
  }
  return progress;
}

std::shared_ptr<const Order> EpochWalk::load_order(Serializer& serializer, const Progress& progress) {
  // Chainer's MultithreadIterator writes `_order`, a None when it does not shuffle.
  const std::string_view key = !serializer.contains("order") && serializer.contains("_order") ? "_order" : "order";
  if (!ordered()) {
    if (key == "_order") {
      const Value* stored = serializer.find(key);
      if (stored && !std::holds_alternative<None>(*stored))
        serializer.fail(key, "saved by an iterator that shuffles; this one does not");
    }
    return nullptr;
  }
  const Value* stored = serializer.find(key);
  if (!stored) return shuffles() ? draw({}, 0, progress.epoch) : progress.order;  // missing, and allowed to be
  const auto* array = std::get_if<Array>(stored);
  if (!array || array->ndim() != 1 || is_floating(array->dtype()))
    serializer.fail(key, fmt::format("the file has {}, the iterator needs the numbers of {} examples",
                                     describe(*stored), epoch_size_));
  if (array->size() != epoch_size_)
    serializer.fail(key, fmt::format("the file has the order of {} examples, but an epoch has {} examples here",
                                     array->size(), epoch_size_));
  Order order = to_vector<std::int64_t>(cast(*array, Dtype::int64));
  for (const std::int64_t i : order)
    if (i < 0 || i >= dataset_size_)
      serializer.fail(key,
                      fmt::format("the file names example {}, but the data set has {} examples", i, dataset_size_));
  return std::make_shared<const Order>(std::move(order));
}

}  // namespace renkei::iterators
