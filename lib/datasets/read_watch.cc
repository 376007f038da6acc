#include <renkei/lib/datasets/read_watch.h>

namespace renkei {
namespace {

thread_local ReadWatch* g_watch = nullptr;

}  // namespace

void ReadWatch::begin() {
  index_ = -1;
  since_ = Clock::now().time_since_epoch().count();
}

void ReadWatch::note(std::int64_t i) {
  if (!g_watch) return;
  if (g_watch->cancelled_) throw ReadCancelled{};
  g_watch->since_ = Clock::now().time_since_epoch().count();
  g_watch->index_ = i;
}

ReadWatchScope::ReadWatchScope(ReadWatch& watch) : previous_{g_watch} {
  g_watch = &watch;
  watch.begin();
}

ReadWatchScope::~ReadWatchScope() { g_watch = previous_; }

}  // namespace renkei
