#include <catch2/catch.hpp>

#include <renkei/lib/iterators/multithread_iterator.h>
#include <renkei/lib/iterators/serial_iterator.h>

#include "numbers.h"

using namespace renkei;

namespace {

void check_step_back(Iterator& iterator) {
  const Dictionary start = saved(iterator);
  iterator.step_back();  // nothing was drawn
  CHECK(differences(start, saved(iterator)).empty());
  take(iterator, 2);
  const Dictionary before = saved(iterator);
  const auto batch = take(iterator, 1);  // goes over the end of the epoch
  const Dictionary after = saved(iterator);
  iterator.step_back();
  CHECK(differences(before, saved(iterator)).empty());
  iterator.step_back();  // once is all
  CHECK(differences(before, saved(iterator)).empty());
  CHECK(take(iterator, 1) == batch);
  CHECK(differences(after, saved(iterator)).empty());
}

}  // namespace

TEST_CASE("an iterator takes its last batch back, and gives it again") {
  const TupleDataset dataset = numbers(5);
  iterators::SerialIterator serial{dataset, 2, {.seed = 4}};
  check_step_back(serial);
  iterators::MultithreadIterator threads{dataset, 2, {.seed = 4, .n_threads = 2}};
  check_step_back(threads);
}
