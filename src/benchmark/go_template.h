// GoTemplate is a text with actions in the language of Go's text/template, as far as the object
// templates of scheduler_perf use it: fields ({{.Index}}), the functions of scheduler_perf
// ({{AddInt 7000 (Mod .Index 12)}}), comparisons, pipelines, comments, and {{if}} with {{else}}.
//
// Templates are files of users: their nesting and the size of the result are limited. Variables,
// loops and named templates are not supported; the error says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace berth::benchmark {

// A value in a template. Monostate is Go's nil.
using TemplateValue = std::variant<std::monostate, bool, int64_t, double, std::string>;
// What {{.Name}} reads, by name.
using TemplateValues = std::map<std::string, TemplateValue, std::less<>>;

class GoTemplate {
 public:
  // Limits of {{if}} and of parentheses in each other: no real template comes near.
  static constexpr size_t kMaxDepth = 32;
  // The largest object that an API server accepts has less.
  static constexpr size_t kMaxResult = 4 << 20;

  // Errors say where: "line 3: unknown function \"Foo\"".
  static Result<GoTemplate> Parse(std::string_view text);
  ~GoTemplate();
  GoTemplate(GoTemplate&&) noexcept;
  GoTemplate& operator=(GoTemplate&&) noexcept;

  // Fails if an action does: a field without a value, a division by zero.
  Result<std::string> Expand(const TemplateValues& values) const;
  // Reports whether the result is the same for all values.
  bool is_constant() const;

 private:
  struct Block;  // go_template.cc
  explicit GoTemplate(std::unique_ptr<Block> root);

  friend class TemplateParser;
  friend class TemplateExpansion;
  std::unique_ptr<Block> root_;
};

}  // namespace berth::benchmark
