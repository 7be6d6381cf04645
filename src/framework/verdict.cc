#include "framework/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth {

std::string_view ToString(Code code) {
  switch (code) {
    case Code::kSuccess:
      return "Success";
    case Code::kError:
      return "Error";
    case Code::kUnschedulable:
      return "Unschedulable";
    case Code::kUnschedulableAndUnresolvable:
      return "UnschedulableAndUnresolvable";
    case Code::kWait:
      return "Wait";
    case Code::kSkip:
      return "Skip";
    case Code::kPending:
      return "Pending";
  }
  return "Unknown";
}

std::string Verdict::Message() const { return fmt::format("{}", fmt::join(reasons_, ", ")); }

}  // namespace berth
