#include "serve/process_values.h"

#include <charconv>
#include <cstddef>
#include <limits>
#include <vector>

namespace berth::serve {
namespace {

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  for (size_t begin = 0; (begin = text.find_first_not_of(" \t\n", begin)) != text.npos;) {
    const size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

double Number(std::string_view text) {
  if (text == "unlimited") return static_cast<double>(std::numeric_limits<uint64_t>::max());
  uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return static_cast<double>(number);
}

// The first word after `head`, which begins a line.
std::string_view After(std::string_view text, std::string_view head) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    if (line.starts_with(head)) {
      const auto words = Words(line.substr(head.size()));
      return words.empty() ? std::string_view() : words[0];
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace

ProcessValues ReadProcess(const ProcessTexts& texts) {
  ProcessValues values;
  values.open_fds = static_cast<double>(texts.open_fds);
  values.max_fds = Number(After(texts.limits, "Max open files"));
  values.virtual_memory_max_bytes = Number(After(texts.limits, "Max address space"));
  // The command's name, the second field, may have blanks and parentheses in it.
  const size_t name_end = texts.stat.rfind(')');
  if (name_end == std::string_view::npos) return values;
  const auto fields = Words(texts.stat.substr(name_end + 1));
  auto field = [&](size_t number) {  // Counted from one, as in the manual.
    return number - 3 < fields.size() ? Number(fields[number - 3]) : 0.0;
  };
  const auto ticks = static_cast<double>(texts.ticks_per_second);
  values.cpu_seconds = (field(14) + field(15)) / ticks;
  values.start_time_seconds = Number(After(texts.system_stat, "btime")) + field(22) / ticks;
  values.virtual_memory_bytes = field(23);
  values.resident_memory_bytes = field(24) * static_cast<double>(texts.page_bytes);
  return values;
}

}  // namespace berth::serve
