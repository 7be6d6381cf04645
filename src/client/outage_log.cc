#include "client/outage_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::client {
namespace {

// The first failure is often that of a connection that breaks; why no other can be made follows
// soon. A log is often read from its end, so it repeats.
constexpr Duration kFirstReminder = Duration::Seconds(2);
constexpr Duration kLastReminder = Duration::Seconds(600);

}  // namespace

void OutageLog::Failed(const std::string& what, Instant now) {
  if (failures_++ == 0) {
    since_ = logged_at_ = now;
    silence_ = kFirstReminder;
    return log_(what);
  }
  if (now - logged_at_ < silence_) return;
  logged_at_ = now;
  silence_ = std::min(silence_ * 2, kLastReminder);
  log_(fmt::format("{} (the API server has not responded for {:.0f} s; {} requests failed)", what,
                   (now - since_).seconds(), failures_));
}

void OutageLog::End(Instant now) {
  // One lost connection is not worth a second line.
  if (failures_ > 1) {
    log_(fmt::format("the API server responds again after {:.1f} s; {} requests failed",
                     (now - since_).seconds(), failures_));
  }
  failures_ = 0;
}

}  // namespace berth::client
