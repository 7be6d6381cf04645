#include "benchmark/go_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "benchmark/template_functions.h"

namespace berth::benchmark {

// A literal, a field, or a call with arguments.
struct TemplateExpression {
  TemplateFunction function = nullptr;
  std::string name;  // Of the field or function.
  TemplateValue literal;
  enum class Kind : uint8_t { kLiteral, kField, kCall } kind = Kind::kLiteral;
  std::vector<TemplateExpression> arguments;
  size_t line = 1;
};

namespace {

std::unexpected<Error> TemplateError(size_t line, std::string_view what) {
  return Fail(fmt::format("line {}: {}", line, what));
}

constexpr std::string_view kSpace = " \t\r\n";

std::string_view TrimEnd(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

}  // namespace

// A sequence of text, expressions and conditions.
struct GoTemplate::Block {
  struct Part {
    std::string text = {};
    std::optional<TemplateExpression> expression = {};  // Printed, or the condition.
    std::unique_ptr<Block> then = {};                   // If there is one: an {{if}}.
    std::unique_ptr<Block> otherwise = {};
  };
  std::vector<Part> parts;
};

GoTemplate::GoTemplate(std::unique_ptr<Block> root) : root_(std::move(root)) {}
GoTemplate::~GoTemplate() = default;
GoTemplate::GoTemplate(GoTemplate&&) noexcept = default;
GoTemplate& GoTemplate::operator=(GoTemplate&&) noexcept = default;

bool GoTemplate::is_constant() const {
  return std::ranges::all_of(root_->parts,
                             [](const Block::Part& part) { return !part.expression; });
}

// --- parsing ---

// Parses the text inside of {{ }}.
class ActionParser {
 public:
  ActionParser(std::string_view text, size_t line) : text_(text), line_(line) {}

  // Parses a whole pipeline.
  Result<TemplateExpression> Pipeline(size_t depth = 0) {
    if (depth > GoTemplate::kMaxDepth)
      return TemplateError(line_, "parentheses are nested too deep");
    auto value = Command(depth, nullptr);
    while (value && Take('|')) value = Command(depth, &*value);
    return value;
  }
  Result<TemplateExpression> WholePipeline() {
    auto value = Pipeline();
    if (value && !SkipSpace().empty()) {
      return TemplateError(line_, fmt::format("unexpected \"{}\"", text_));
    }
    return value;
  }
  std::string_view Word() {
    SkipSpace();
    size_t length = 0;
    while (length < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[length])) != 0 || text_[length] == '_')) {
      ++length;
    }
    const std::string_view word = text_.substr(0, length);
    text_.remove_prefix(length);
    return word;
  }
  std::string_view SkipSpace() {
    text_.remove_prefix(std::min(text_.find_first_not_of(kSpace), text_.size()));
    return text_;
  }

 private:
  bool Take(char c) {
    if (SkipSpace().empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool AtEndOfCommand() {
    SkipSpace();
    return text_.empty() || text_.front() == '|' || text_.front() == ')';
  }

  // A function with its arguments, or one operand. `piped` is the last argument, if not null.
  Result<TemplateExpression> Command(size_t depth, TemplateExpression* piped) {
    auto first = Operand(depth);
    if (!first) return first;
    const bool is_call = first->kind == TemplateExpression::Kind::kCall && first->arguments.empty();
    while (!AtEndOfCommand()) {
      if (!is_call) return TemplateError(line_, fmt::format("unexpected \"{}\"", text_));
      auto argument = Operand(depth);
      if (!argument) return argument;
      first->arguments.push_back(*std::move(argument));
    }
    if (piped == nullptr) return first;
    if (!is_call) return TemplateError(line_, "only a function can follow a |");
    TemplateExpression last = std::move(*piped);
    first->arguments.push_back(std::move(last));
    return first;
  }

  Result<TemplateExpression> Operand(size_t depth) {
    SkipSpace();
    if (text_.empty()) return TemplateError(line_, "an expression is missing");
    TemplateExpression operand;
    operand.line = line_;
    if (Take('(')) {
      auto inner = Pipeline(depth + 1);
      if (inner && !Take(')')) return TemplateError(line_, "a ) is missing");
      return inner;
    }
    if (Take('.')) {
      operand.kind = TemplateExpression::Kind::kField;
      operand.name = Word();
      if (operand.name.empty() || (!text_.empty() && text_.front() == '.')) {
        return TemplateError(line_, "only fields such as .Index are supported");
      }
      return operand;
    }
    if (text_.front() == '"' || text_.front() == '`') return Quoted(std::move(operand));
    if (std::isdigit(static_cast<unsigned char>(text_.front())) != 0 || text_.front() == '-') {
      return Number(std::move(operand));
    }
    operand.name = Word();
    if (operand.name == "true" || operand.name == "false") {
      operand.literal = operand.name == "true";
      return operand;
    }
    operand.kind = TemplateExpression::Kind::kCall;
    operand.function = FindTemplateFunction(operand.name);
    if (operand.name.empty()) {
      return TemplateError(line_, fmt::format("\"{}\" is not supported in templates", text_));
    }
    if (operand.function == nullptr) {
      return TemplateError(line_, fmt::format("unknown function \"{}\"", operand.name));
    }
    return operand;
  }

  Result<TemplateExpression> Quoted(TemplateExpression operand) {
    const char quote = text_.front();
    const size_t end = text_.find(quote, 1);
    if (end == text_.npos || text_.substr(0, end).find('\\') != text_.npos) {
      return TemplateError(line_, "a string must end on its line, and have no backslash");
    }
    operand.literal = std::string(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return operand;
  }

  Result<TemplateExpression> Number(TemplateExpression operand) {
    const std::string_view digits = text_.substr(0, text_.find_first_of(" \t\r\n|)"));
    int64_t whole = 0;
    double number = 0;
    const char* end = digits.data() + digits.size();
    if (std::from_chars(digits.data(), end, whole).ptr == end) {
      operand.literal = whole;
    } else if (std::from_chars(digits.data(), end, number).ptr == end) {
      operand.literal = number;
    } else {
      return TemplateError(line_, fmt::format("\"{}\" is not a number", digits));
    }
    text_.remove_prefix(digits.size());
    return operand;
  }

  std::string_view text_;
  size_t line_;
};

// Parses a whole template.
class TemplateParser {
 public:
  explicit TemplateParser(std::string_view text) : rest_(text) {}

  Result<GoTemplate> Parse() {
    auto root = std::make_unique<GoTemplate::Block>();
    const auto end = ParseBlock(*root, 0);
    if (!end) return std::unexpected(end.error());
    if (!end->word.empty()) {
      return TemplateError(line_, fmt::format("{{{{{}}}}} without {{{{if}}}}", end->word));
    }
    return GoTemplate(std::move(root));
  }

 private:
  // What ended a block: nothing at the end of the text, "end" or "else" with its condition.
  struct End {
    std::string word;
    std::string_view condition;  // Of {{else if ...}}.
  };

  // Takes the text up to the next action, without the space that the action trims.
  Result<std::optional<std::string_view>> NextAction(std::string& text) {
    const size_t open = rest_.find("{{");
    std::string_view before = rest_.substr(0, open);
    line_ += static_cast<size_t>(std::ranges::count(before, '\n'));
    if (trims_) before.remove_prefix(std::min(before.find_first_not_of(kSpace), before.size()));
    trims_ = false;
    if (open == rest_.npos) {
      text = before;
      rest_ = {};
      return std::nullopt;
    }
    rest_.remove_prefix(open + 2);
    const size_t close = rest_.find("}}");
    if (close == rest_.npos) return TemplateError(line_, "{{ without }}");
    std::string_view action = rest_.substr(0, close);
    rest_.remove_prefix(close + 2);
    line_ += static_cast<size_t>(std::ranges::count(action, '\n'));
    if (action.starts_with("- ") || action == "-") {
      action.remove_prefix(1);
      before = TrimEnd(before);
    }
    if (action.ends_with(" -")) {
      action.remove_suffix(1);
      trims_ = true;
    }
    text = before;
    return action;
  }

  Result<End> ParseBlock(GoTemplate::Block& block, size_t depth) {
    if (depth > GoTemplate::kMaxDepth) return TemplateError(line_, "{{if}} is nested too deep");
    for (;;) {
      std::string text;
      const auto action = NextAction(text);
      if (!action) return std::unexpected(action.error());
      if (!text.empty()) block.parts.push_back({.text = std::move(text)});
      if (!*action) return End{};
      ActionParser parser(**action, line_);
      if (parser.SkipSpace().starts_with("/*")) continue;
      ActionParser words = parser;
      const std::string_view word = words.Word();
      if (word == "end") return End{"end", {}};
      if (word == "else") return ParseElse(words);
      if (word == "if") {
        if (auto added = ParseIf(block, words, depth); !added)
          return std::unexpected(added.error());
        continue;
      }
      constexpr std::array<std::string_view, 5> kOthers = {"range", "with", "define", "template",
                                                           "block"};
      if (std::ranges::find(kOthers, word) != kOthers.end()) {
        return TemplateError(line_, fmt::format("{{{{{}}}}} is not supported in templates", word));
      }
      auto expression = parser.WholePipeline();
      if (!expression) return std::unexpected(expression.error());
      block.parts.push_back({.expression = *std::move(expression)});
    }
  }

  Result<End> ParseElse(ActionParser& words) {
    const std::string_view next = words.Word();
    if (next.empty() && words.SkipSpace().empty()) return End{"else", {}};
    if (next == "if") return End{"else", words.SkipSpace()};
    return TemplateError(line_, "only {{else}} and {{else if}} are supported");
  }

  Status ParseIf(GoTemplate::Block& block, ActionParser& words, size_t depth) {
    auto condition = words.WholePipeline();
    if (!condition) return std::unexpected(condition.error());
    GoTemplate::Block::Part part{.expression = *std::move(condition)};
    part.then = std::make_unique<GoTemplate::Block>();
    auto end = ParseBlock(*part.then, depth + 1);
    if (!end) return std::unexpected(end.error());
    if (end->word == "else") {
      part.otherwise = std::make_unique<GoTemplate::Block>();
      if (!end->condition.empty()) {
        // {{else if}} is an {{if}} inside of {{else}}; both have the same {{end}}.
        ActionParser inner(end->condition, line_);
        const auto added = ParseIf(*part.otherwise, inner, depth + 1);
        if (!added) return added;
        block.parts.push_back(std::move(part));
        return {};
      }
      end = ParseBlock(*part.otherwise, depth + 1);
      if (!end) return std::unexpected(end.error());
    }
    if (end->word != "end") return TemplateError(line_, "{{if}} without {{end}}");
    block.parts.push_back(std::move(part));
    return {};
  }

  std::string_view rest_;
  size_t line_ = 1;
  bool trims_ = false;  // The last action trims the space after it.
};

Result<GoTemplate> GoTemplate::Parse(std::string_view text) { return TemplateParser(text).Parse(); }

// --- expanding ---

class TemplateExpansion {
 public:
  explicit TemplateExpansion(const TemplateValues& values) : values_(values) {}

  Status Add(const GoTemplate::Block& block) {
    for (const GoTemplate::Block::Part& part : block.parts) {
      out_ += part.text;
      if (part.expression) {
        const auto value = Evaluate(*part.expression);
        if (!value) return std::unexpected(value.error());
        const Status added =
            part.then == nullptr ? Print(*part.expression, *value) : Choose(part, *value);
        if (!added) return added;
      }
      if (out_.size() > GoTemplate::kMaxResult) {
        return Fail(fmt::format("the result has more than {} bytes", GoTemplate::kMaxResult));
      }
    }
    return {};
  }
  std::string Take() { return std::move(out_); }

 private:
  // Go prints "<no value>" for a field that is not set: nobody wants that in an object.
  Status Print(const TemplateExpression& expression, const TemplateValue& value) {
    if (std::holds_alternative<std::monostate>(value)) {
      return TemplateError(
          expression.line,
          fmt::format(".{} has no value; set it in templateParams", expression.name));
    }
    out_ += PrintValue(value);
    return {};
  }
  Status Choose(const GoTemplate::Block::Part& part, const TemplateValue& value) {
    if (IsTrue(value)) return Add(*part.then);
    return part.otherwise == nullptr ? Status() : Add(*part.otherwise);
  }

  Result<TemplateValue> Evaluate(const TemplateExpression& expression) const {
    switch (expression.kind) {
      case TemplateExpression::Kind::kLiteral:
        return expression.literal;
      case TemplateExpression::Kind::kField: {
        const auto found = values_.find(expression.name);
        // As in Go, a missing key of a map is nil.
        return found == values_.end() ? TemplateValue() : found->second;
      }
      case TemplateExpression::Kind::kCall:
        break;
    }
    std::vector<TemplateValue> arguments;
    for (const TemplateExpression& argument : expression.arguments) {
      auto value = Evaluate(argument);
      if (!value) return value;
      arguments.push_back(*std::move(value));
    }
    auto result = expression.function(arguments);
    if (result) return result;
    return TemplateError(expression.line,
                         fmt::format("{}: {}", expression.name, result.error().message));
  }

  const TemplateValues& values_;
  std::string out_;
};

Result<std::string> GoTemplate::Expand(const TemplateValues& values) const {
  TemplateExpansion expansion(values);
  if (auto added = expansion.Add(*root_); !added) return std::unexpected(added.error());
  return expansion.Take();
}

}  // namespace berth::benchmark
