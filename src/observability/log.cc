#include "observability/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

#include "api/json/writer.h"
#include "base/chrono.h"
#include "base/go_duration.h"
#include "base/overloaded.h"
#include "base/terminal.h"
#include "base/text.h"

namespace berth::observability {
namespace {

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

// klog formats multi-line text as =<, each line after a tab, and >.
std::string TextValue(std::string_view text) {
  if (!text.contains('\n')) return GoQuote(text);
  std::string out = "<\n";
  while (!text.empty()) {
    const size_t end = text.find('\n');
    out += '\t';
    out += Visible(text.substr(0, end));
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
                 [](std::span<const std::string> list) { return JsonList(list); },
                 [](const LogJson& json) { return std::string(json.text); }},
      value.held());
}

std::string JsonValueText(const LogValue& value) {
  return std::visit(
      Overloaded{[](std::string_view text) { return JsonText(text); },
                 [](bool flag) { return std::string(flag ? "true" : "false"); },
                 [](int64_t number) { return std::to_string(number); },
                 [](double number) { return JsonNumber(number); },
                 [](Duration duration) { return JsonText(FormatGoDuration(duration)); },
                 [](std::span<const std::string> list) { return JsonList(list); },
                 [](const LogJson& json) { return std::string(json.text); }},
      value.held());
}

std::string Header(const LogEntry& entry, Instant now, int pid) {
  const std::time_t seconds = now.unix_seconds();
  std::tm local = {};
  localtime_r(&seconds, &local);
  return fmt::format("{}{:02}{:02} {:02}:{:02}:{:02}.{:06} {:7} {}:{}] ",
                     "IWE"[static_cast<size_t>(entry.severity)], local.tm_mon + 1, local.tm_mday,
                     local.tm_hour, local.tm_min, local.tm_sec,
                     (now - now.FloorToSecond()).nanos / 1000, pid,
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
  std::string line =
      fmt::format("{{\"ts\":{},\"caller\":{},\"msg\":{}", NumberText(now.since_epoch().millis()),
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

namespace {

// Write errors are ignored: there is nowhere to report them.
void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

bool MatchesPattern(std::string_view name, std::string_view pattern) {
  // Where to backtrack to if what follows the last star does not match.
  size_t star = pattern.npos;
  size_t retry = 0;
  size_t p = 0;
  for (size_t n = 0; n < name.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

Logger::Logger(const Clock& clock, int pid, LogSink errors, LogSink infos)
    : clock_(clock), pid_(pid), errors_(std::move(errors)), infos_(std::move(infos)) {}

Logger::~Logger() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  stopping_.notify_all();
  if (flusher_.joinable()) flusher_.join();
  Flush();
}

void Logger::Configure(LogOptions options) {
  const std::lock_guard lock(mutex_);
  options_ = std::move(options);
  set_verbosity(options_.verbosity);
  has_vmodule_ = !options_.vmodule.empty();
  const bool buffers = options_.split_stream && options_.info_buffer_bytes > 0;
  if (buffers && !flusher_.joinable()) flusher_ = std::thread([this] { FlushPeriodically(); });
}

void Logger::set_verbosity(int level) {
  verbosity_.store(level);
  for (const VModule& module : options_.vmodule) level = std::max(level, module.level);
  highest_level_.store(level);
}

int Logger::ModuleLevel(const char* file) const {
  const std::string_view stem = Stem(file);
  for (const VModule& module : options_.vmodule) {
    if (MatchesPattern(stem, module.pattern)) return module.level;
  }
  return -1;
}

void Logger::Write(const LogEntry& entry) {
  const Instant now = clock_.Now();
  const std::string line = options_.json ? JsonLine(entry, now) : TextLine(entry, now, pid_);
  const std::lock_guard lock(mutex_);
  // JSON lines distinguish only errors; klog writes warnings to the error stream.
  const bool is_info = entry.severity == LogSeverity::kInfo ||
                       (options_.json && entry.severity == LogSeverity::kWarning);
  if (!options_.split_stream || !is_info) return errors_(line);
  if (options_.info_buffer_bytes == 0) return infos_(line);
  if (buffered_.size() + line.size() > options_.info_buffer_bytes) FlushLocked();
  buffered_ += line;
}

void Logger::Flush() {
  const std::lock_guard lock(mutex_);
  FlushLocked();
}

void Logger::FlushLocked() {
  if (!buffered_.empty()) infos_(buffered_);
  buffered_.clear();
}

void Logger::FlushPeriodically() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    stopping_.wait_for(lock, ToChrono(options_.flush_frequency));
    FlushLocked();
  }
}

void Logger::Info(int level, std::source_location where, std::string_view message,
                  std::initializer_list<LogField> fields) {
  Write({.severity = LogSeverity::kInfo,
         .level = level,
         .where = where,
         .message = message,
         .fields = {fields.begin(), fields.size()}});
}

void Logger::Plain(int level, std::source_location where, std::string_view message) {
  Write({.severity = LogSeverity::kInfo,
         .level = level,
         .where = where,
         .message = message,
         .plain = true});
}

void Logger::Warning(std::source_location where, std::string_view message,
                     std::initializer_list<LogField> fields) {
  Write({.severity = LogSeverity::kWarning,
         .where = where,
         .message = message,
         .fields = {fields.begin(), fields.size()},
         .plain = true});
}

void Logger::Failure(std::source_location where, std::string_view error, std::string_view message,
                     std::initializer_list<LogField> fields) {
  Write({.severity = LogSeverity::kError,
         .where = where,
         .message = message,
         .error = error,
         .fields = {fields.begin(), fields.size()}});
}

Logger& Log() {
  static const SystemClock kClock;
  static Logger logger(
      kClock, static_cast<int>(::getpid()),
      [](std::string_view lines) { WriteAll(STDERR_FILENO, lines); },
      [](std::string_view lines) { WriteAll(STDOUT_FILENO, lines); });
  return logger;
}

}  // namespace berth::observability
