#include "daemon/log.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace berth::daemon {
namespace {

// What cannot be written is lost: there is nobody to tell.
void WriteAll(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

bool MatchesPattern(std::string_view name, std::string_view pattern) {
  // Where to go on after the last star, should what follows it not match.
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
  verbosity_ = options_.verbosity;
  has_vmodule_ = !options_.vmodule.empty();
  const bool holds_back = options_.split_stream && options_.info_buffer_bytes > 0;
  if (holds_back && !flusher_.joinable()) flusher_ = std::thread([this] { FlushNowAndThen(); });
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
  // JSON lines know errors and others only; klog sends warnings where errors go.
  const bool is_info = entry.severity == LogSeverity::kInfo ||
                       (options_.json && entry.severity == LogSeverity::kWarning);
  if (!options_.split_stream || !is_info) return errors_(line);
  if (options_.info_buffer_bytes == 0) return infos_(line);
  if (held_back_.size() + line.size() > options_.info_buffer_bytes) FlushLocked();
  held_back_ += line;
}

void Logger::Flush() {
  const std::lock_guard lock(mutex_);
  FlushLocked();
}

void Logger::FlushLocked() {
  if (!held_back_.empty()) infos_(held_back_);
  held_back_.clear();
}

void Logger::FlushNowAndThen() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    stopping_.wait_for(lock, std::chrono::nanoseconds(options_.flush_frequency.nanos));
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

}  // namespace berth::daemon
