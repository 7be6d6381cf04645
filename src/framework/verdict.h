// Verdict is what a plugin says about a pod: a code and the reasons for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

enum class Code : uint8_t {
  kSuccess,
  kError,                         // Something went wrong; the pod is tried again later.
  kUnschedulable,                 // No, but removing pods may help.
  kUnschedulableAndUnresolvable,  // No, and removing pods will not help.
  kWait,                          // Permit only: hold the pod back.
  kSkip,                          // The plugin has nothing to do for this pod.
  kPending,  // No, until something outside happens; the retry does not back off.
};

// As it appears in metrics: "UnschedulableAndUnresolvable".
std::string_view ToString(Code code);

class [[nodiscard]] Verdict {
 public:
  // Success.
  Verdict() = default;
  explicit Verdict(Code code) : code_(code) {}
  Verdict(Code code, std::string reason) : code_(code), reasons_{std::move(reason)} {}
  Verdict(Code code, std::vector<std::string> reasons)
      : code_(code), reasons_(std::move(reasons)) {}

  static Verdict Skip() { return Verdict(Code::kSkip); }
  static Verdict Error(std::string message) { return {Code::kError, std::move(message)}; }

  Code code() const { return code_; }
  bool ok() const { return code_ == Code::kSuccess; }
  bool skipped() const { return code_ == Code::kSkip; }
  bool rejected() const {
    return code_ == Code::kUnschedulable || code_ == Code::kUnschedulableAndUnresolvable ||
           code_ == Code::kPending;
  }

  const std::vector<std::string>& reasons() const { return reasons_; }
  // The reasons, joined with ", ".
  std::string Message() const;

  // The plugin that said so; set by the framework.
  const std::string& plugin() const { return plugin_; }
  Verdict By(std::string_view plugin) && {
    plugin_ = plugin;
    return std::move(*this);
  }

  friend bool operator==(const Verdict&, const Verdict&) = default;

 private:
  Code code_ = Code::kSuccess;
  std::vector<std::string> reasons_;
  std::string plugin_;
};

}  // namespace berth
