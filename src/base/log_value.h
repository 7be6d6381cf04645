// LogValue and LogField are the structured part of a log line: values with keys.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace berth {

// A value that is JSON already: an object or a list of numbers.
struct LogJson {
  std::string_view text;
};

// A value of a log line. Texts are quoted; numbers, booleans and lists are formatted as in JSON.
class LogValue {
 public:
  // NOLINTBEGIN(google-explicit-constructor): values are listed as they are.
  LogValue(std::string_view text) : held_(text) {}
  LogValue(const std::string& text) : held_(std::string_view(text)) {}
  LogValue(const char* text) : held_(std::string_view(text)) {}
  LogValue(const Error& error) : held_(std::string_view(error.message)) {}
  LogValue(bool value) : held_(value) {}
  LogValue(std::integral auto number) : held_(static_cast<int64_t>(number)) {}
  LogValue(std::floating_point auto number) : held_(static_cast<double>(number)) {}
  LogValue(Duration duration) : held_(duration) {}
  LogValue(const std::vector<std::string>& list) : held_(std::span(list)) {}
  LogValue(const LogJson& json) : held_(json) {}
  // NOLINTEND(google-explicit-constructor)

  using Held = std::variant<std::string_view, bool, int64_t, double, Duration,
                            std::span<const std::string>, LogJson>;
  const Held& held() const { return held_; }

 private:
  Held held_;  // Refers to memory that outlives the call.
};

struct LogField {
  std::string_view key;
  LogValue value;
};

}  // namespace berth
