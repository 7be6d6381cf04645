// Pattern is a compiled regular expression of a schema.
//
// Its syntax is RE2's, which is that of Go. Matching takes time in proportion to the text, whatever
// the expression is. Immutable and thread-safe.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace berth::apiserver::crd {

class Pattern {
 public:
  // Returns the error for the user if `text` is not a regular expression or is too large.
  static std::expected<std::shared_ptr<const Pattern>, std::string> Compile(std::string_view text);
  ~Pattern();

  const std::string& text() const;
  // Reports whether the expression matches a part of `text`.
  bool Matches(std::string_view text) const;
  // Returns the size of the compiled expression.
  size_t instructions() const;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> compiled);

  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace berth::apiserver::crd
