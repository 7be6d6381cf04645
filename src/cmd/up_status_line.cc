#include "cmd/up_status_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

namespace berth {

std::string WithCommas(uint64_t number) {
  std::string text = fmt::format("{}", number);
  for (size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string StatusText(const ClusterCounts& counts, double decisions_per_second) {
  std::string text =
      fmt::format("nodes {} | pods: bound {}, running {}, pending {}", WithCommas(counts.nodes),
                  WithCommas(counts.bound), WithCommas(counts.running), WithCommas(counts.pending));
  if (counts.finished > 0) text += fmt::format(", finished {}", WithCommas(counts.finished));
  const auto rate = static_cast<uint64_t>(std::llround(decisions_per_second));
  return text + fmt::format(" | {} decisions/s", WithCommas(rate));
}

std::string ProgressText(size_t done, size_t all) {
  constexpr size_t kWidth = 30;
  const size_t filled = all == 0 ? 0 : std::min(done, all) * kWidth / all;
  return fmt::format("placing pods [{}{}] {} of {}", std::string(filled, '#'),
                     std::string(kWidth - filled, '-'), WithCommas(done), WithCommas(all));
}

void StatusLine::Show(const std::string& text) {
  if (terminal_) {
    fmt::print("\r{}\x1b[K", text);
    shown_ = true;
  } else {
    fmt::print("{}\n", text);
  }
  std::fflush(stdout);
}

void StatusLine::End() {
  if (!std::exchange(shown_, false)) return;
  fmt::print("\r\x1b[K");
  std::fflush(stdout);
}

double DecisionRate::Look(const driver::DriverSnapshot& snapshot, Instant now) {
  const uint64_t before = std::exchange(decisions_, snapshot.decisions());
  const Duration passed = now - std::exchange(at_, now);
  if (passed <= Duration{} || before > decisions_) return 0;
  return static_cast<double>(decisions_ - before) / passed.seconds();
}

}  // namespace berth
