// The syntax of format strings: "%s has %d" and others, for string.format() and its validator.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace berth::cel {

struct FormatClause {
  char verb = 's';
  std::optional<int> precision;  // %.2f
};

class FormatReader {
 public:
  explicit FormatReader(std::string_view format) : rest_(format) {}

  // Returns the text up to the next clause or, with "%%", up to the second percent sign. At a
  // clause and at the end it is empty.
  std::string_view TakeText();
  bool done() const { return rest_.empty(); }
  // Call only if there is neither text nor the end.
  Result<FormatClause> TakeClause();

 private:
  std::string_view rest_;
};

}  // namespace berth::cel
