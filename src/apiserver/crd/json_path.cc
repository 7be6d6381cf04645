#include "apiserver/crd/json_path.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"

namespace berth::apiserver::crd {

class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  // Parses steps up to the end, or up to what cannot continue a path.
  bool Path(std::vector<Step>& steps) {
    while (!rest_.empty()) {
      if (Take(".")) {
        if (rest_.starts_with('.')) return false;  // Recursive descent.
        if (rest_.empty() || rest_.starts_with('[')) continue;
        if (!Member(steps)) return false;
      } else if (Take("[")) {
        if (!Bracket(steps)) return false;
      } else {
        return true;
      }
    }
    return true;
  }

  bool at_end() const { return rest_.empty(); }

 private:
  bool Take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void SkipSpaces() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
  }

  // A name after a dot; a backslash escapes the next character.
  bool Member(std::vector<Step>& steps) {
    std::string name;
    while (!rest_.empty() &&
           std::string_view(".[] =!<>)").find(rest_[0]) == std::string_view::npos) {
      if (rest_[0] == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      name += rest_[0];
      rest_.remove_prefix(1);
    }
    if (name.empty()) return false;
    if (name == "*") {
      steps.push_back({.type = Step::Type::kAll});
    } else {
      steps.push_back({.type = Step::Type::kMember, .name = std::move(name)});
    }
    return true;
  }

  std::optional<std::string> Quoted() {
    if (!rest_.starts_with('\'') && !rest_.starts_with('"')) return std::nullopt;
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    std::string text;
    for (; !rest_.empty() && rest_[0] != quote; rest_.remove_prefix(1)) {
      if (rest_[0] == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      text += rest_[0];
    }
    if (rest_.empty()) return std::nullopt;
    rest_.remove_prefix(1);
    return text;
  }

  std::optional<int64_t> Integer() {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (error != std::errc()) return std::nullopt;
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return number;
  }

  bool Bracket(std::vector<Step>& steps) {
    if (Take("?(")) return FilterStep(steps);
    if (Take("*")) {
      steps.push_back({.type = Step::Type::kAll});
      return Take("]");
    }
    if (auto name = Quoted()) {
      steps.push_back({.type = Step::Type::kMember, .name = *std::move(name)});
      return Take("]");
    }
    Step step{.type = Step::Type::kRange};
    const auto begin = Integer();
    step.begin = begin.value_or(0);
    if (Take(":")) {
      step.end = Integer();
    } else if (!begin) {
      return false;
    } else if (*begin != -1) {
      step.end = *begin + 1;
    }
    steps.push_back(std::move(step));
    return Take("]");
  }

  bool FilterStep(std::vector<Step>& steps) {
    Step step{.type = Step::Type::kFilter};
    SkipSpaces();
    if (!Take("@")) return false;
    if (!Path(step.path)) return false;
    SkipSpaces();
    if (!Take(")")) {
      if (!Comparison(step)) return false;
      SkipSpaces();
      if (!Take(")")) return false;
    }
    steps.push_back(std::move(step));
    return Take("]");
  }

  bool Comparison(Step& step) {
    struct Row {
      std::string_view text;
      Operator op;
    };
    constexpr Row kOperators[] = {{"==", Operator::kEqual},     {"!=", Operator::kNotEqual},
                                  {"<=", Operator::kLessEqual}, {">=", Operator::kGreaterEqual},
                                  {"<", Operator::kLess},       {">", Operator::kGreater}};
    const auto found =
        std::ranges::find_if(kOperators, [&](const Row& row) { return Take(row.text); });
    if (found == std::end(kOperators)) return false;
    step.op = found->op;
    SkipSpaces();
    if (auto text = Quoted()) {
      step.literal = api::JsonQuoted(*text);
      return true;
    }
    const size_t end = std::min(rest_.find_first_of(" )"), rest_.size());
    const auto value = api::ParseJson(rest_.substr(0, end));
    if (!value) return false;
    rest_.remove_prefix(end);
    step.literal = api::ToCanonicalJson(*value);
    if (value->is_number()) step.number = value->to_number<double>();
    return true;
  }

  std::string_view rest_;
};

std::optional<JsonPath> JsonPath::Parse(std::string_view text) {
  if (!text.starts_with('.') && !text.starts_with('[')) return std::nullopt;
  JsonPath path;
  Parser parser(text);
  if (!parser.Path(path.steps_) || !parser.at_end()) return std::nullopt;
  return path;
}

void JsonPath::Apply(const Step& step, const api::Json& value, std::vector<const api::Json*>& out) {
  const api::JsonObject* object = value.if_object();
  const api::JsonArray* array = value.if_array();
  switch (step.type) {
    case Step::Type::kMember:
      if (const api::Json* member = object ? object->if_contains(step.name) : nullptr) {
        out.push_back(member);
      }
      return;
    case Step::Type::kRange: {
      if (!array) return;
      const auto size = static_cast<int64_t>(array->size());
      const auto place = [&](int64_t index) {
        return std::clamp<int64_t>(index < 0 ? size + index : index, 0, size);
      };
      const int64_t end = step.end ? place(*step.end) : size;
      for (int64_t i = place(step.begin); i < end; ++i) {
        out.push_back(&(*array)[static_cast<size_t>(i)]);
      }
      return;
    }
    case Step::Type::kAll:
      if (array) {
        for (const api::Json& item : *array) out.push_back(&item);
      } else if (object) {
        for (const auto& member : *object) out.push_back(&member.value());
      }
      return;
    case Step::Type::kFilter:
      if (!array) return;
      for (const api::Json& item : *array) {
        if (Matches(step, item)) out.push_back(&item);
      }
  }
}

std::vector<const api::Json*> JsonPath::Evaluate(const std::vector<Step>& steps,
                                                 const api::Json& value) {
  std::vector<const api::Json*> found = {&value};
  for (const Step& step : steps) {
    std::vector<const api::Json*> next;
    for (const api::Json* each : found) Apply(step, *each, next);
    found = std::move(next);
  }
  return found;
}

bool JsonPath::Matches(const Step& filter, const api::Json& value) {
  const auto found = Evaluate(filter.path, value);
  if (found.empty()) return false;
  if (filter.op == Operator::kExists) return true;
  const api::Json& left = *found.front();
  if (filter.op == Operator::kEqual) return api::ToCanonicalJson(left) == filter.literal;
  if (filter.op == Operator::kNotEqual) return api::ToCanonicalJson(left) != filter.literal;
  if (!filter.number || !left.is_number()) return false;
  const auto number = left.to_number<double>();
  switch (filter.op) {
    case Operator::kLess:
      return number < *filter.number;
    case Operator::kLessEqual:
      return number <= *filter.number;
    case Operator::kGreater:
      return number > *filter.number;
    default:
      return number >= *filter.number;
  }
}

const api::Json* JsonPath::Find(const api::Json& document) const {
  const auto found = Evaluate(steps_, document);
  return found.empty() ? nullptr : found.front();
}

}  // namespace berth::apiserver::crd
