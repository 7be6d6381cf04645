// Log is where the engine tells what it does, in kube-scheduler's messages and keys, for people who
// search for a cause.
//
//   ENGINE_LOG(log_, 5, "Event received while pods are in flight", {{"event", label.Text()}});
//
// The engine does no I/O: a LogSink writes the lines. The arguments of a message whose level is off
// are not evaluated: it costs one comparison. No decision depends on a log.
#pragma once

#include <atomic>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string_view>

#include "base/log_value.h"

namespace berth::scheduler::framework {

struct LogMessage {
  static constexpr int kError = -1;

  int level = 0;  // As in klog, or kError.
  std::string_view text;
  std::string_view error = {};            // Of an error.
  std::span<const LogField> fields = {};  // Without the error.
  std::string_view logger = {};           // See Log::Named.
  std::source_location where = {};
};

// Called on the engine thread; must not call the engine.
class LogSink {
 public:
  // `highest_level` is the highest level that is on for any file; it may change at any time, and
  // must outlive this.
  explicit LogSink(const std::atomic<int>& highest_level) : highest_level_(highest_level) {}
  virtual ~LogSink() = default;
  virtual void Write(const LogMessage& message) = 0;

  const std::atomic<int>& highest_level() const { return highest_level_; }

 private:
  const std::atomic<int>& highest_level_;
};

// A reference to a sink; to copy.
class Log {
 public:
  // Writes nothing.
  Log() = default;
  // `sink` may be null, and must outlive this otherwise.
  explicit Log(LogSink* sink)
      : sink_(sink), highest_level_(sink == nullptr ? &kSilent : &sink->highest_level()) {}

  // The same with a name, as a plugin's logger has from level 4 on: "Bind.DefaultBinder". It must
  // outlive the result.
  Log Named(std::string_view name) const {
    Log named = *this;
    named.name_ = name;
    return named;
  }

  bool IsOn(int level) const { return level <= highest_level_->load(std::memory_order_relaxed); }

  // Called by the macros below.
  void Write(int level, std::source_location where, std::string_view text,
             std::initializer_list<LogField> fields = {}) const;
  void WriteError(std::source_location where, std::string_view error, std::string_view text,
                  std::initializer_list<LogField> fields = {}) const;

 private:
  static constexpr std::atomic<int> kSilent = LogMessage::kError - 1;

  LogSink* sink_ = nullptr;
  const std::atomic<int>* highest_level_ = &kSilent;
  std::string_view name_;
};

}  // namespace berth::scheduler::framework

#define ENGINE_LOG(log, level, ...)                                     \
  do {                                                                  \
    if ((log).IsOn(level)) [[unlikely]]                                 \
      (log).Write(level, std::source_location::current(), __VA_ARGS__); \
  } while (false)
// The error's text first; it may be empty.
#define ENGINE_LOG_ERROR(log, ...)                                                  \
  do {                                                                              \
    if ((log).IsOn(::berth::scheduler::framework::LogMessage::kError)) [[unlikely]] \
      (log).WriteError(std::source_location::current(), __VA_ARGS__);               \
  } while (false)
