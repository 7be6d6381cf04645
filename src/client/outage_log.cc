#include "client/outage_log.h"

#include <fmt/format.h>

namespace berth::client {
namespace {

// A log is often read from its end.
constexpr Duration kReminder = Duration::Seconds(600);

}  // namespace

void OutageLog::Failed(const std::string& what, Instant now) {
  if (failures_++ == 0) {
    since_ = logged_at_ = now;
    return log_(what);
  }
  if (now - logged_at_ < kReminder) return;
  logged_at_ = now;
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
