// LogEntry is one thing to log, and how it looks as a line: as klog writes it, or as JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace berth::daemon {

// A value of a log line. Texts are quoted; numbers, booleans and lists are written as in JSON.
class LogValue {
 public:
  LogValue(std::string_view text) : held_(text) {}
  LogValue(const std::string& text) : held_(std::string_view(text)) {}
  LogValue(const char* text) : held_(std::string_view(text)) {}
  LogValue(const Error& error) : held_(std::string_view(error.message)) {}
  LogValue(bool value) : held_(value) {}
  LogValue(std::integral auto number) : held_(static_cast<int64_t>(number)) {}
  LogValue(std::floating_point auto number) : held_(static_cast<double>(number)) {}
  LogValue(Duration duration) : held_(duration) {}
  LogValue(const std::vector<std::string>& list) : held_(std::span(list)) {}

  using Held =
      std::variant<std::string_view, bool, int64_t, double, Duration, std::span<const std::string>>;
  const Held& held() const { return held_; }

 private:
  Held held_;  // What it refers to lives until the line is written.
};

struct LogField {
  std::string_view key;
  LogValue value;
};

enum class LogSeverity : uint8_t { kInfo, kWarning, kError };

struct LogEntry {
  LogSeverity severity = LogSeverity::kInfo;
  int level = 0;  // Of info lines: the -v from which on they are written.
  std::source_location where = {};
  std::string_view message = {};
  std::string_view error = {};  // Of error lines; empty for none.
  std::span<const LogField> fields = {};
  bool plain = false;  // The message has no quotes, as klog.Infof and klog.Warning write it.
};

// I0102 15:04:05.067890    1234 file.cc:97] "message" key="value"
// With a newline at the end. The time is the local one, as klog's.
std::string TextLine(const LogEntry& entry, Instant now, int pid);

// {"ts":1580306777045.2073,"caller":"daemon/file.cc:97","msg":"message","v":0,"key":"value"}
std::string JsonLine(const LogEntry& entry, Instant now);

// "file.cc" of a path, and "file" of that: what --vmodule's patterns are compared with.
std::string_view BaseName(std::string_view path);
std::string_view Stem(std::string_view path);

}  // namespace berth::daemon
