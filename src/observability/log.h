// Logger writes log lines as klog does: text or JSON, more of them the higher the verbosity.
//
//   LOG_V(2, "Successfully bound pod to node", {{"pod", key}, {"node", name}});
//   LOG_ERROR(error, "Failed to bind pod", {{"pod", key}});
//
// The arguments of a line whose level is off are not evaluated: it costs one comparison. All
// functions are thread-safe; lines are written atomically.
//
// The one logger of the tree. It writes klog's forms itself, since dashboards and alerts parse
// them; a logging library would only move bytes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/log_value.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::observability {

using ::berth::LogField;
using ::berth::LogJson;
using ::berth::LogValue;

enum class LogSeverity : uint8_t { kInfo, kWarning, kError };

struct LogEntry {
  LogSeverity severity = LogSeverity::kInfo;
  int level = 0;  // For info lines: the lowest -v that includes them.
  std::source_location where = {};
  std::string_view message = {};
  std::string_view error = {};  // For error lines; may be empty.
  std::span<const LogField> fields = {};
  bool plain = false;  // Without quotes, as klog.Infof and klog.Warning.
};

// Returns a line with a line feed, in local time, as klog:
//   I0102 15:04:05.067890    1234 file.cc:97] "message" key="value"
std::string TextLine(const LogEntry& entry, Instant now, int pid);

// Returns a line as klog's JSON format:
//   {"ts":1580306777045.2073,"caller":"daemon/file.cc:97","msg":"message","v":0,"key":"value"}
std::string JsonLine(const LogEntry& entry, Instant now);

// Return "file.cc" and "file" of a path; --vmodule patterns match the latter.
std::string_view BaseName(std::string_view path);
std::string_view Stem(std::string_view path);

// A --vmodule entry: the verbosity of files whose stem matches.
struct VModule {
  std::string pattern;  // With * and ?.
  int level = 0;

  friend bool operator==(const VModule&, const VModule&) = default;
};

struct LogOptions {
  bool json = false;
  int verbosity = 0;
  std::vector<VModule> vmodule = {};
  // Write info lines to the second stream, and others to the first; otherwise all to the first.
  bool split_stream = false;
  // With split streams, buffer this many bytes of info lines, for at most `flush_frequency`.
  size_t info_buffer_bytes = 0;
  Duration flush_frequency = Duration::Seconds(5);
};

// Receives complete lines.
using LogSink = std::function<void(std::string_view lines)>;

class Logger {
 public:
  // `clock` must outlive the logger.
  Logger(const Clock& clock, int pid, LogSink errors, LogSink infos);
  ~Logger();  // Flushes.
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  // Must be called before other threads log.
  void Configure(LogOptions options);

  bool IsOn(int level, const char* file) const {
    if (level <= verbosity_.load(std::memory_order_relaxed)) return true;
    return has_vmodule_.load(std::memory_order_relaxed) && level <= ModuleLevel(file);
  }
  int verbosity() const { return verbosity_.load(); }
  void set_verbosity(int level);
  // The highest level that is on for any file.
  const std::atomic<int>& highest_level() const { return highest_level_; }

  void Write(const LogEntry& entry);
  // Writes buffered lines.
  void Flush();

  // Called by the macros below.
  void Info(int level, std::source_location where, std::string_view message,
            std::initializer_list<LogField> fields = {});
  void Plain(int level, std::source_location where, std::string_view message);
  void Warning(std::source_location where, std::string_view message,
               std::initializer_list<LogField> fields = {});
  void Failure(std::source_location where, std::string_view error, std::string_view message,
               std::initializer_list<LogField> fields = {});
  void Failure(std::source_location where, const Error& error, std::string_view message,
               std::initializer_list<LogField> fields = {}) {
    Failure(where, std::string_view(error.message), message, fields);
  }

 private:
  int ModuleLevel(const char* file) const;
  void FlushLocked();
  void FlushPeriodically();

  const Clock& clock_;
  const int pid_;
  const LogSink errors_;
  const LogSink infos_;
  std::atomic<int> verbosity_ = 0;
  std::atomic<int> highest_level_ = 0;
  std::atomic<bool> has_vmodule_ = false;
  LogOptions options_;

  std::mutex mutex_;
  std::string buffered_;
  std::condition_variable stopping_;
  bool stop_ = false;
  std::thread flusher_;
};

// Returns the process's logger, which writes to stderr and, with split streams, stdout.
Logger& Log();

// Reports whether `name` matches `pattern`: * is any text, ? any character.
bool MatchesPattern(std::string_view name, std::string_view pattern);

}  // namespace berth::observability

#define LOG_V(level, ...)                                                           \
  do {                                                                              \
    ::berth::observability::Logger& log_of_process = ::berth::observability::Log(); \
    if (log_of_process.IsOn(level, __FILE__)) {                                     \
      log_of_process.Info(level, std::source_location::current(), __VA_ARGS__);     \
    }                                                                               \
  } while (false)
#define LOG_INFO(...) LOG_V(0, __VA_ARGS__)
// A message without quotes and fields, where kube-scheduler logs one.
#define LOG_PLAIN(level, message)                                                   \
  do {                                                                              \
    ::berth::observability::Logger& log_of_process = ::berth::observability::Log(); \
    if (log_of_process.IsOn(level, __FILE__)) {                                     \
      log_of_process.Plain(level, std::source_location::current(), message);        \
    }                                                                               \
  } while (false)
#define LOG_WARNING(...) \
  ::berth::observability::Log().Warning(std::source_location::current(), __VA_ARGS__)
// The error first: an Error, or text, which may be empty.
#define LOG_ERROR(...) \
  ::berth::observability::Log().Failure(std::source_location::current(), __VA_ARGS__)
