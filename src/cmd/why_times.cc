#include "cmd/why_times.h"

#include <fmt/format.h>

#include <array>
#include <ctime>

#include "api/timestamp.h"

namespace berth::cmd {
namespace {

// "12 s", "2 m", "3 h", "5 d": one unit is enough.
std::string Span(int64_t seconds) {
  if (seconds < 120) return fmt::format("{} s", seconds);
  if (seconds < 2 * 3600) return fmt::format("{} m", seconds / 60);
  if (seconds < 2 * 86'400) return fmt::format("{} h", seconds / 3600);
  return fmt::format("{} d", seconds / 86'400);
}

}  // namespace

std::string TimeText(std::string_view timestamp, const TimeFormat& format) {
  const auto time = api::ParseTimestamp(timestamp);
  if (!time) return std::string(timestamp);
  if (format.exact) {
    const auto seconds = static_cast<std::time_t>(time->unix_seconds());
    std::tm local = {};
    std::array<char, 64> text = {};
    if (localtime_r(&seconds, &local) == nullptr) return std::string(timestamp);
    const size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S %Z", &local);
    return {text.data(), size};
  }
  const int64_t ago = format.now.unix_seconds() - time->unix_seconds();
  if (ago == 0) return "just now";
  return ago > 0 ? Span(ago) + " ago" : "in " + Span(-ago);
}

}  // namespace berth::cmd
