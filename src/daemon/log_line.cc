#include "daemon/log_line.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <ctime>

#include "api/json_writer.h"
#include "base/go_duration.h"
#include "daemon/go_quote.h"

namespace berth::daemon {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

template <typename... F>
struct Overloaded : F... {
  using F::operator()...;
};

std::string NumberText(double number) {
  char text[400];
  const auto end = std::to_chars(text, text + sizeof(text), number, std::chars_format::fixed).ptr;
  return {text, end};
}

// JSON has no infinite numbers.
std::string JsonNumber(double number) {
  return std::isfinite(number) ? NumberText(number) : fmt::format("\"{}\"", number);
}

std::string JsonText(std::string_view text) {
  api::JsonWriter out;
  out.String(text);
  return out.Take();
}

std::string JsonList(std::span<const std::string> list) {
  api::JsonWriter out;
  out.BeginArray();
  for (const std::string& item : list) out.String(item);
  out.EndArray();
  return out.Take();
}

// klog keeps several lines legible: =<, then each line behind a tab, then >.
std::string TextValue(std::string_view text) {
  if (!text.contains('\n')) return GoQuote(text);
  std::string out = "<\n";
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += '\t';
    out += text.substr(0, end);
    out += '\n';
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return out + " >";
}

std::string TextValue(const LogValue& value) {
  return std::visit(
      Overloaded{[](std::string_view text) { return TextValue(text); },
                 [](bool flag) { return std::string(flag ? "true" : "false"); },
                 [](int64_t number) { return std::to_string(number); },
                 [](double number) { return JsonNumber(number); },
                 [](Duration duration) { return GoQuote(FormatGoDuration(duration)); },
                 [](std::span<const std::string> list) { return JsonList(list); }},
      value.held());
}

std::string JsonValueText(const LogValue& value) {
  return std::visit(
      Overloaded{[](std::string_view text) { return JsonText(text); },
                 [](bool flag) { return std::string(flag ? "true" : "false"); },
                 [](int64_t number) { return std::to_string(number); },
                 [](double number) { return JsonNumber(number); },
                 [](Duration duration) { return JsonText(FormatGoDuration(duration)); },
                 [](std::span<const std::string> list) { return JsonList(list); }},
      value.held());
}

std::string Header(const LogEntry& entry, Instant now, int pid) {
  const std::time_t seconds = now.nanos / kSecond;
  std::tm local = {};
  localtime_r(&seconds, &local);
  return fmt::format("{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:7} {}:{}] ",
                     "IWE"[static_cast<size_t>(entry.severity)], local.tm_mon + 1, local.tm_mday,
                     local.tm_hour, local.tm_min, local.tm_sec, now.nanos % kSecond / 1000, pid,
                     BaseName(entry.where.file_name()), entry.where.line());
}

}  // namespace

std::string_view BaseName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

std::string_view Stem(std::string_view path) {
  const std::string_view name = BaseName(path);
  return name.substr(0, name.rfind('.'));
}

std::string TextLine(const LogEntry& entry, Instant now, int pid) {
  std::string line = Header(entry, now, pid);
  line += entry.plain ? GoEscape(entry.message) : GoQuote(entry.message);
  const auto add = [&](std::string_view key, const LogValue& value) {
    line += fmt::format(" {}={}", key, TextValue(value));
  };
  if (!entry.error.empty()) add("err", entry.error);
  for (const LogField& field : entry.fields) add(field.key, field.value);
  line += '\n';
  return line;
}

std::string JsonLine(const LogEntry& entry, Instant now) {
  const std::string_view path = entry.where.file_name();
  const size_t base = path.size() - BaseName(path).size();
  const size_t folder = base < 2 ? 0 : path.rfind('/', base - 2) + 1;
  std::string line = fmt::format(
      "{{\"ts\":{},\"caller\":{},\"msg\":{}", NumberText(static_cast<double>(now.nanos) / 1e6),
      JsonText(fmt::format("{}:{}", path.substr(folder), entry.where.line())),
      JsonText(entry.message));
  if (entry.severity != LogSeverity::kError) line += fmt::format(",\"v\":{}", entry.level);
  if (!entry.error.empty()) line += fmt::format(",\"err\":{}", JsonText(entry.error));
  for (const LogField& field : entry.fields) {
    line += fmt::format(",{}:{}", JsonText(field.key), JsonValueText(field.value));
  }
  line += "}\n";
  return line;
}

}  // namespace berth::daemon
