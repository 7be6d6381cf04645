#include "apiserver/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "apiserver/crd/custom_resource.h"
#include "base/text.h"

namespace berth::apiserver {
namespace {

using api::Requirement;
using api::SelectorOp;

enum class Token : uint8_t {
  kEnd,
  kWord,
  kComma,
  kOpen,
  kClose,
  kNot,
  kEquals,
  kDoubleEquals,
  kNotEquals,
  kGreater,
  kLess,
};

struct Lexeme {
  Token token = Token::kEnd;
  std::string_view text;
};

struct Symbol {
  std::string_view text;
  Token token;
};
// Longer symbols first.
constexpr std::array kSymbols = {
    Symbol{"==", Token::kDoubleEquals}, Symbol{"!=", Token::kNotEquals},
    Symbol{"=", Token::kEquals},        Symbol{"!", Token::kNot},
    Symbol{",", Token::kComma},         Symbol{"(", Token::kOpen},
    Symbol{")", Token::kClose},         Symbol{">", Token::kGreater},
    Symbol{"<", Token::kLess},
};

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kEndsWord = " \t\r\n=!,()<>";

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  const Lexeme& Peek() {
    if (!peeked_) {
      next_ = Scan();
      peeked_ = true;
    }
    return next_;
  }
  Lexeme Take() {
    const Lexeme lexeme = Peek();
    peeked_ = false;
    return lexeme;
  }

 private:
  Lexeme Scan() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
    if (rest_.empty()) return {};
    for (const Symbol& symbol : kSymbols) {
      if (rest_.starts_with(symbol.text)) return Cut(symbol.token, symbol.text.size());
    }
    return Cut(Token::kWord, std::min(rest_.find_first_of(kEndsWord), rest_.size()));
  }
  Lexeme Cut(Token token, size_t size) {
    const Lexeme lexeme{token, rest_.substr(0, size)};
    rest_.remove_prefix(size);
    return lexeme;
  }

  std::string_view rest_;
  Lexeme next_;
  bool peeked_ = false;
};

std::unexpected<Error> Unexpected(const Lexeme& found, std::string_view expected) {
  return Fail(
      fmt::format("unable to parse requirement: found '{}', expected: {}", found.text, expected));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) {}

  Result<std::vector<Requirement>> Parse() {
    std::vector<Requirement> requirements;
    if (lexer_.Peek().token == Token::kEnd) return requirements;
    while (true) {
      const Token token = lexer_.Peek().token;
      if (token != Token::kWord && token != Token::kNot) {
        return Unexpected(lexer_.Peek(), requirements.empty() ? "!, identifier, or 'end of string'"
                                                              : "identifier after ','");
      }
      auto requirement = ParseRequirement();
      if (!requirement) return std::unexpected(requirement.error());
      requirements.push_back(*std::move(requirement));
      const Lexeme separator = lexer_.Take();
      if (separator.token == Token::kEnd) return requirements;
      if (separator.token != Token::kComma) {
        return Unexpected(separator, "',' or 'end of string'");
      }
    }
  }

 private:
  Result<Requirement> ParseRequirement() {
    const bool absent = lexer_.Peek().token == Token::kNot;
    if (absent) lexer_.Take();
    const Lexeme word = lexer_.Take();
    if (word.token != Token::kWord) return Unexpected(word, "identifier");
    std::string key(word.text);
    if (absent) return Requirement::Make(std::move(key), SelectorOp::kDoesNotExist, {});
    const Token next = lexer_.Peek().token;
    if (next == Token::kEnd || next == Token::kComma) {
      return Requirement::Make(std::move(key), SelectorOp::kExists, {});
    }
    return ParseOperation(std::move(key));
  }

  Result<Requirement> ParseOperation(std::string key) {
    const Lexeme op = lexer_.Take();
    switch (op.token) {
      case Token::kEquals:
      case Token::kDoubleEquals:
        return WithValue(std::move(key), SelectorOp::kIn);
      case Token::kNotEquals:
        return WithValue(std::move(key), SelectorOp::kNotIn);
      case Token::kGreater:
        return WithValue(std::move(key), SelectorOp::kGt);
      case Token::kLess:
        return WithValue(std::move(key), SelectorOp::kLt);
      default:
        break;
    }
    if (op.token == Token::kWord && op.text == "in")
      return WithSet(std::move(key), SelectorOp::kIn);
    if (op.token == Token::kWord && op.text == "notin") {
      return WithSet(std::move(key), SelectorOp::kNotIn);
    }
    return Unexpected(op, "in, notin, =, ==, !=, >, <");
  }

  // Parses one value, which is "" if it is missing.
  Result<Requirement> WithValue(std::string key, SelectorOp op) {
    std::string value;
    const Token next = lexer_.Peek().token;
    if (next != Token::kEnd && next != Token::kComma) {
      const Lexeme word = lexer_.Take();
      if (word.token != Token::kWord) return Unexpected(word, "identifier");
      value = word.text;
    }
    return Requirement::Make(std::move(key), op, {std::move(value)});
  }

  // Parses values in parentheses; a missing one is "".
  Result<Requirement> WithSet(std::string key, SelectorOp op) {
    if (const Lexeme open = lexer_.Take(); open.token != Token::kOpen) {
      return Unexpected(open, "'('");
    }
    std::set<std::string> values;
    bool want_value = true;
    while (true) {
      const Lexeme lexeme = lexer_.Take();
      if (lexeme.token == Token::kWord && want_value) {
        values.emplace(lexeme.text);
        want_value = false;
      } else if (lexeme.token == Token::kComma) {
        if (want_value) values.emplace();
        want_value = true;
      } else if (lexeme.token == Token::kClose) {
        if (want_value) values.emplace();
        break;
      } else {
        return Unexpected(lexeme, want_value ? "',', ')' or identifier" : "',' or ')'");
      }
    }
    return Requirement::Make(std::move(key), op, {values.begin(), values.end()});
  }

  Lexer lexer_;
};

}  // namespace

Result<std::vector<Requirement>> ParseLabelSelector(std::string_view text) {
  return Parser(text).Parse();
}

namespace {

// Splits at unescaped commas; retains the escapes.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

// Returns nullopt if an escape is malformed or a special character is not escaped.
std::optional<std::string> Unescape(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      if (i == text.size() || std::string_view("\\,=").find(text[i]) == std::string_view::npos) {
        return std::nullopt;
      }
    } else if (text[i] == ',' || text[i] == '=') {
      return std::nullopt;
    }
    out += text[i];
  }
  return out;
}

Result<FieldTerm> ParseTerm(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      continue;
    }
    for (const std::string_view op : {"!=", "==", "="}) {
      if (!text.substr(i).starts_with(op)) continue;
      auto value = Unescape(text.substr(i + op.size()));
      if (!value) {
        return Fail(
            fmt::format("invalid field selector value in '{}': '\\', ',' and '=' need a "
                        "backslash",
                        Shorten(text)));
      }
      return FieldTerm{std::string(text.substr(0, i)), op != "!=", *std::move(value)};
    }
  }
  return Fail(fmt::format("invalid selector: '{}'; can't understand it", Shorten(text)));
}

}  // namespace

Result<std::vector<FieldTerm>> ParseFieldSelector(std::string_view text) {
  std::vector<FieldTerm> terms;
  for (const std::string_view part : SplitTerms(text)) {
    if (part.empty()) continue;
    auto term = ParseTerm(part);
    if (!term) return std::unexpected(term.error());
    terms.push_back(*std::move(term));
  }
  return terms;
}

namespace {

bool NeedsLabel(const Requirement& requirement) {
  return requirement.op != SelectorOp::kNotIn && requirement.op != SelectorOp::kDoesNotExist;
}

// Restricts sorted `values` to those that are also in `others`, or adds `others`.
void Combine(std::vector<std::string>& values, const std::vector<std::string>& others,
             bool intersect) {
  std::vector<std::string> result;
  if (intersect) {
    std::ranges::set_intersection(values, others, std::back_inserter(result));
  } else {
    std::ranges::set_union(values, others, std::back_inserter(result));
  }
  values = std::move(result);
}

// Makes `requirement` also require what `other` does, which has the same key and operator.
void Combine(Requirement& requirement, const Requirement& other) {
  switch (requirement.op) {
    case SelectorOp::kIn:
    case SelectorOp::kNotIn:
      return Combine(requirement.values, other.values, requirement.op == SelectorOp::kIn);
    case SelectorOp::kGt:
      requirement.bound = std::max(requirement.bound, other.bound);
      return;
    case SelectorOp::kLt:
      requirement.bound = std::min(requirement.bound, other.bound);
      return;
    case SelectorOp::kExists:
    case SelectorOp::kDoesNotExist:
      return;
  }
}

// Combines requirements of one key and operator, halves first, so that unions of many values cost
// n log n.
Requirement CombineAll(std::span<Requirement> requirements) {
  if (requirements.size() == 1) return std::move(requirements[0]);
  const size_t half = requirements.size() / 2;
  Requirement result = CombineAll(requirements.first(half));
  Combine(result, CombineAll(requirements.subspan(half)));
  return result;
}

std::vector<Requirement> Combined(std::vector<Requirement> requirements) {
  const auto order = [](const Requirement& r) { return std::tie(r.key, r.op); };
  std::ranges::stable_sort(requirements, {}, order);
  std::vector<Requirement> result;
  for (auto rest = std::span(requirements); !rest.empty();) {
    const auto other = std::ranges::find_if(
        rest, [&](const Requirement& r) { return order(r) != order(rest[0]); });
    const auto equal = rest.first(static_cast<size_t>(other - rest.begin()));
    rest = rest.subspan(equal.size());
    result.push_back(CombineAll(equal));
  }
  return result;
}

}  // namespace

void ObjectSelector::AddField(Field field) {
  const auto same = std::ranges::find_if(fields_, [&](const Field& other) {
    return other.place == field.place && other.index == field.index && other.equal == field.equal;
  });
  if (same == fields_.end()) {
    fields_.push_back(std::move(field));
  } else if (field.equal) {
    Combine(same->values, field.values, true);
  } else {
    // Sorted at the end, once.
    same->values.push_back(std::move(field.values.front()));
  }
}

api::scheme::ApiResult<ObjectSelector> ObjectSelector::Make(const api::scheme::Kind& kind,
                                                            std::string_view labels,
                                                            std::string_view fields) {
  const auto fail = [&](std::string_view why) {
    return std::unexpected(api::scheme::BadRequest(fmt::format(
        "Unable to find \"{}/{}, Resource={}\" that match label selector \"{}\", field selector "
        "\"{}\": {}",
        kind.group, kind.version, kind.resource, Shorten(labels, 200), Shorten(fields, 200), why)));
  };
  ObjectSelector selector;
  auto requirements = ParseLabelSelector(labels);
  if (!requirements) return std::unexpected(api::scheme::BadRequest(requirements.error().message));
  const auto [begin, end] = std::ranges::stable_partition(*requirements, NeedsLabel);
  selector.tolerant_ = Combined({std::move_iterator(begin), std::move_iterator(end)});
  requirements->erase(begin, end);
  selector.present_ = Combined(*std::move(requirements));
  auto terms = ParseFieldSelector(fields);
  if (!terms) return std::unexpected(api::scheme::BadRequest(terms.error().message));
  for (FieldTerm& term : *terms) {
    Field field{.path = {}, .equal = term.equal, .values = {std::move(term.value)}};
    if (term.field == "metadata.name") {
      if (field.equal) selector.name_ = field.values.front();
    } else if (term.field == "metadata.namespace" && kind.namespaced) {
      field.place = Field::Place::kNamespace;
    } else {
      const auto at = std::ranges::find(kind.selectable_fields, term.field);
      if (at == kind.selectable_fields.end()) {
        return fail(fmt::format("field label not supported: {}", Shorten(term.field)));
      }
      field.place = kind.custom != nullptr ? Field::Place::kJson : Field::Place::kStored;
      field.index = static_cast<size_t>(at - kind.selectable_fields.begin());
      if (kind.custom != nullptr) field.path = crd::SplitPath(term.field);
    }
    selector.AddField(std::move(field));
  }
  for (Field& field : selector.fields_) std::ranges::sort(field.values);
  return selector;
}

namespace {

// Returns the scalar in the object's JSON as field selectors compare it: a string without quotes.
std::string_view ScalarAt(std::string_view json, const std::vector<std::string>& path,
                          std::string& buffer) {
  for (const std::string& name : path) json = api::RawMember(json, name);
  if (!json.starts_with('"')) return json == "null" ? std::string_view() : json;
  if (json.find('\\') == json.npos) return json.substr(1, json.size() - 2);
  const auto parsed = api::ParseJson(json);
  if (parsed) buffer = api::AsString(*parsed);
  return buffer;
}

}  // namespace

std::string_view ObjectSelector::ValueOf(const Field& field, const store::Object& object,
                                         std::string& buffer) {
  switch (field.place) {
    case Field::Place::kName:
      return object.key.name;
    case Field::Place::kNamespace:
      return object.key.namespace_;
    case Field::Place::kJson:
      return ScalarAt(object.json, field.path, buffer);
    case Field::Place::kStored:
      break;
  }
  return field.index < object.fields.size() ? object.fields[field.index] : std::string_view();
}

bool ObjectSelector::Matches(const store::Object& object) const {
  std::string buffer;
  for (const Field& field : fields_) {
    const std::string_view value = ValueOf(field, object, buffer);
    if (std::ranges::binary_search(field.values, value, std::less<>()) != field.equal) {
      return false;
    }
  }
  const auto matches = [&](const Requirement& requirement) {
    const auto at = std::ranges::lower_bound(object.labels, requirement.key, {},
                                             &std::pair<std::string, std::string>::first);
    const bool present = at != object.labels.end() && at->first == requirement.key;
    return requirement.Matches(present ? &at->second : nullptr);
  };
  // Ends at the first label that is missing, so it reads no more requirements than there are
  // labels.
  if (!std::ranges::all_of(present_, matches)) return false;
  if (tolerant_.size() <= object.labels.size()) return std::ranges::all_of(tolerant_, matches);
  return std::ranges::all_of(object.labels, [&](const auto& label) {
    return std::ranges::all_of(
        std::ranges::equal_range(tolerant_, label.first, {}, &Requirement::key),
        [&](const Requirement& requirement) { return requirement.Matches(&label.second); });
  });
}

}  // namespace berth::apiserver
