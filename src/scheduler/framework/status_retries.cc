#include "scheduler/framework/status_retries.h"

#include <utility>

namespace berth::scheduler::framework {
namespace {

constexpr Duration kFirstPause = Duration::Millis(10);
constexpr int64_t kPauseGrowth = 5;

template <typename Patch>
Task<WriteResult> WriteWithRetries(Async& async, const Patch& patch) {
  for (int tries = 1;; ++tries) {
    ApiWrite write = patch;
    WriteResult result = co_await async.Write(std::move(write));
    if (!WorthRetrying(result) || tries == kMaxStatusTries) co_return result;
    co_await async.Sleep(PauseAfter(tries));
  }
}

}  // namespace

bool WorthRetrying(const WriteResult& result) {
  return result.kind == WriteResult::Kind::kConflict ||
         result.kind == WriteResult::Kind::kUnavailable;
}

Duration PauseAfter(int tries) {
  Duration pause = kFirstPause;
  for (int i = 1; i < tries; ++i) pause *= kPauseGrowth;
  return pause;
}

Task<WriteResult> WriteStatus(Async& async, const PatchPodStatus& patch) {
  return WriteWithRetries(async, patch);
}

Task<WriteResult> WriteStatus(Async& async, const PatchPodGroupStatus& patch) {
  return WriteWithRetries(async, patch);
}

}  // namespace berth::scheduler::framework
