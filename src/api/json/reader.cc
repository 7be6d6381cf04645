#include "api/json/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <limits>
#include <memory>
#include <span>

#include "api/json/parse.h"
#include "api/timestamp.h"
#include "base/text.h"

namespace berth::api {

namespace {

constexpr size_t kManyKeys = 32;
constexpr size_t kMaxReusedBuffer = 4 << 20;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

std::string_view TrimEnd(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return TrimEnd(text);
}

// Reports whether the balanced brackets of `json` nest deeper than `limit`.
bool NestsDeeper(std::string_view json, size_t limit) {
  if (json.size() < 2 * limit) return false;
  size_t opened = 0;
  for (const char c : json) opened += (c | 0x20) == '{';  // '[' and '{' differ in that bit.
  if (opened <= limit) return false;

  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '{' || c == '[')) {
      if (++depth > limit) return true;
    } else if (!quoted && (c == '}' || c == ']')) {
      if (depth > 0) --depth;
    }
  }
  return false;
}

}  // namespace

bool JsonReader::KeySet::Contains(std::string_view key) {
  const auto begin = stack_.begin() + static_cast<ptrdiff_t>(begin_);
  if (stack_.size() - begin_ <= kManyKeys)
    return std::find(begin, stack_.end(), key) != stack_.end();
  many_.insert(begin + static_cast<ptrdiff_t>(many_.size()), stack_.end());
  return many_.contains(key);
}

void JsonReader::Open(std::string_view json, size_t first_line, UndecodableFields* undecodable) {
  undecodable_ = undecodable;
  path_.clear();
  path_begin_ = 0;
  keys_.clear();
  failed_ = false;
  path_text_.clear();
  problem_.clear();
  first_line_ = first_line;
  size_ = json.size();
  if (buffer_.capacity() > kMaxReusedBuffer && json.size() < kMaxReusedBuffer) {
    buffer_ = std::string();
    parser_ = simdjson::ondemand::parser();
  }
  buffer_.assign(json);
  buffer_.append(simdjson::SIMDJSON_PADDING, ' ');
  if (Trim(json).empty()) return Fail("the document is empty");
  if (const auto error = parser_.iterate(buffer_.data(), size_, buffer_.size()).get(document_)) {
    FailSyntax(error);
  }
}

JsonReader::Object JsonReader::Root() {
  Object object;
  if (failed_) return object;
  if (const std::string_view text = Trim({buffer_.data(), size_}); text.front() != '{') {
    const std::string found = text.front() == '[' ? "a list" : Shorten(text);
    Fail(fmt::format("expected an object with a kind, found {}", found));
  } else if (const auto error = document_.get_object().get(object)) {
    FailSyntax(error);
  }
  return object;
}

void JsonReader::CheckEnd() {
  if (failed_) return;
  const char* location = nullptr;
  if (document_.current_location().get(location) == simdjson::SUCCESS) {
    Fail(fmt::format("invalid JSON at {}: unexpected {} after the document", PlaceText(location),
                     Shorten(Trim({location, buffer_.data() + size_}), 20)));
  }
}

void JsonReader::Fail(std::string problem) {
  if (failed_) return;
  failed_ = true;
  path_text_ = PathText();
  problem_ = std::move(problem);
}

void JsonReader::Reject(std::string problem) {
  if (undecodable_ == nullptr) return Fail(std::move(problem));
  if (!failed_) undecodable_->AddOmitted(PathText(), std::move(problem));
}

void JsonReader::FailSyntax(simdjson::error_code error) {
  const char* location = nullptr;
  std::string place;
  switch (error) {
    case simdjson::UTF8_ERROR:
      return Fail("invalid UTF-8");
    case simdjson::UNCLOSED_STRING:
      return Fail("invalid JSON: a string does not end");
    case simdjson::UNESCAPED_CHARS:
      return Fail("invalid JSON: a string contains a control character");
    case simdjson::CAPACITY:
      return Fail("the document is too large");
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return Fail("invalid JSON: the document ends within an object or a list");
    default:  // Nearly always TAPE_ERROR.
      if (document_.current_location().get(location) == simdjson::SUCCESS) {
        place = " at " + PlaceText(location);
      }
      return Fail(fmt::format(
          "invalid JSON{}: missing or superfluous comma, colon, quote or bracket", place));
  }
}

void JsonReader::RejectType(std::string_view expected, Value& value) {
  const std::string_view token = Token(value);
  std::string found = Shorten(token);
  if (token.starts_with('{')) found = "an object";
  if (token.starts_with('[')) found = "a list";
  Reject(fmt::format("expected {}, found {}", expected, found));
}

std::string JsonReader::PathText() const {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
  std::string text;
  for (const Step& step : std::span(path_).subspan(std::min(path_begin_, path_.size()))) {
    if (step.key.data() == nullptr) {
      text += fmt::format("[{}]", step.index);
    } else if (!step.key.empty() && std::ranges::all_of(step.key, is_word)) {
      if (!text.empty()) text += '.';
      text += Shorten(step.key);
    } else {
      text += fmt::format("[{}]", Shorten(step.key));
    }
  }
  return text;
}

std::string JsonReader::PlaceText(const char* location) const {
  const std::string_view before(buffer_.data(), std::min<size_t>(location - buffer_.data(), size_));
  const auto newlines = static_cast<size_t>(std::ranges::count(before, '\n'));
  const size_t last = before.rfind('\n');
  const size_t column = last == std::string_view::npos ? before.size() + 1 : before.size() - last;
  return fmt::format("line {}, column {}", first_line_ + newlines, column);
}

std::optional<JsonReader::Value> JsonReader::Find(Object& object, std::string_view wanted) {
  if (failed_) return std::nullopt;
  for (auto field : object) {
    std::string_view key;
    if (!ReadKey(field, key) || key != wanted) {
      if (failed_) return std::nullopt;
      continue;
    }
    const Value value = field.value_unsafe().value();
    if (IsNull(value)) return std::nullopt;
    return value;
  }
  return std::nullopt;
}

std::optional<std::string> JsonReader::Peek(Object& object, std::string_view key) {
  std::optional<std::string> text;
  if (const auto value = Find(object, key)) {
    path_.push_back({.key = key});
    if (!Read(*value, text.emplace())) text.reset();
    if (!failed_) path_.pop_back();
  }
  if (failed_) return std::nullopt;
  if (const auto error = object.reset().error()) FailSyntax(error);
  return text;
}

// simdjson returns the text up to the next token, with trailing white space.
std::string_view JsonReader::Token(Value& value) { return TrimEnd(value.raw_json_token()); }

std::optional<JsonReader::Object> JsonReader::AsObject(Value value) {
  Object object;
  if (failed_) return std::nullopt;
  const auto error = value.get_object().get(object);
  if (!error) return object;
  if (error == simdjson::INCORRECT_TYPE) {
    RejectType("an object", value);
  } else {
    FailSyntax(error);
  }
  return std::nullopt;
}

bool JsonReader::StartArray(Value& value, simdjson::ondemand::array& array) {
  if (failed_) return false;
  const auto error = value.get_array().get(array);
  if (error == simdjson::INCORRECT_TYPE) {
    RejectType("a list", value);
  } else if (error) {
    FailSyntax(error);
  }
  return !error;
}

bool JsonReader::ReadKey(simdjson::simdjson_result<simdjson::ondemand::field>& field,
                         std::string_view& key) {
  if (const auto error = field.error()) {
    FailSyntax(error);
    return false;
  }
  const char* begin = field.value_unsafe().key().raw();
  const auto* end = static_cast<const char*>(
      std::memchr(begin, '"', static_cast<size_t>(buffer_.data() + buffer_.size() - begin)));
  if (end != nullptr && std::memchr(begin, '\\', end - begin) == nullptr) {
    key = {begin, end};
    return true;
  }
  const auto error = field.unescaped_key().get(key);
  if (error == simdjson::STRING_ERROR) {
    Reject("invalid JSON: bad escape in a key");
  } else if (error) {
    FailSyntax(error);
  }
  return !error;
}

bool JsonReader::IsNull(Value value) {
  if (!value.raw_json_token().starts_with('n')) return false;
  if (Token(value) != "null") RejectType("a value", value);
  return true;
}

// Returns the string's text, valid as long as the document.
std::optional<std::string_view> JsonReader::ReadText(Value& value) {
  const std::string_view token = Token(value);
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') {
    RejectType("a string", value);
    return std::nullopt;
  }
  std::string_view text = token.substr(1, token.size() - 2);
  simdjson::error_code error = simdjson::SUCCESS;
  if (std::memchr(text.data(), '\\', text.size()) != nullptr) {
    error = value.get_string().get(text);
  } else {
    error = value.get_raw_json_string().error();  // Moves past the string.
  }
  if (!error) return text;
  if (error == simdjson::STRING_ERROR) {
    Reject(fmt::format("invalid JSON: bad escape in {}", Shorten(token)));
  } else {
    FailSyntax(error);
  }
  return std::nullopt;
}

bool JsonReader::Read(Value value, std::string& out) {
  if (failed_) return false;
  const auto text = ReadText(value);
  if (text) out = *text;
  return text.has_value();
}

bool JsonReader::Read(Value value, bool& out) {
  if (failed_) return false;
  const std::string_view token = Token(value);
  out = token == "true";
  if (out || token == "false") return true;
  RejectType("a boolean", value);
  return false;
}

bool JsonReader::ReadInteger(Value& value, int64_t low, int64_t high, int64_t& out) {
  if (failed_) return false;
  const std::string_view token = Token(value);
  if (!IsJsonNumber(token)) {
    RejectType("an integer", value);
    return false;
  }
  const auto number = ParseJsonInteger(token);
  if (!number) {
    RejectType("an integer", value);
    return false;
  }
  if (!number->overflow && number->value >= low && number->value <= high) {
    out = number->value;
    return true;
  }
  const int bits = high == std::numeric_limits<int32_t>::max() ? 32 : 64;
  std::string problem = fmt::format("{} does not fit in {} bits", Shorten(token), bits);
  if (undecodable_ == nullptr) {
    Fail(std::move(problem));
    return false;
  }
  undecodable_->AddAdjusted(PathText(), std::move(problem));
  out = token.starts_with('-') ? low : high;
  return true;
}

bool JsonReader::Read(Value value, int32_t& out) {
  using Limits = std::numeric_limits<int32_t>;
  int64_t number = 0;
  if (!ReadInteger(value, Limits::min(), Limits::max(), number)) return false;
  out = static_cast<int32_t>(number);
  return true;
}

bool JsonReader::Read(Value value, int64_t& out) {
  using Limits = std::numeric_limits<int64_t>;
  return ReadInteger(value, Limits::min(), Limits::max(), out);
}

bool JsonReader::Read(Value value, Quantity& out) {
  if (failed_) return false;
  std::string_view text = Token(value);
  if (text.starts_with('"')) {
    const auto string = ReadText(value);
    if (!string) return false;
    text = Trim(*string);
  } else if (!IsJsonNumber(text)) {
    RejectType("a quantity", value);
    return false;
  }
  auto quantity = Quantity::Parse(text);
  if (!quantity) {
    Reject(fmt::format("invalid quantity \"{}\": {}", Shorten(text), quantity.error().message));
    return false;
  }
  out = *std::move(quantity);
  return true;
}

bool JsonReader::Read(Value value, Instant& out) {
  if (failed_) return false;
  const auto text = ReadText(value);
  if (!text) return false;
  const auto instant = ParseTimestamp(*text);
  if (instant) {
    out = *instant;
  } else {
    Reject(fmt::format("invalid time \"{}\": {}", Shorten(*text), instant.error().message));
  }
  return instant.has_value();
}

bool JsonReader::Read(Value value, RawJson& out) {
  if (failed_) return false;
  const std::string_view text = PassOver(value);
  if (failed_) return false;
  const auto parsed = ParseJson(text, {.max_depth = kMaxNesting - path_.size()});
  if (parsed) {
    out.json = std::make_shared<const std::string>(CompactJson(text));
  } else {
    Reject("invalid JSON: " + parsed.error().message);
  }
  return parsed.has_value();
}

std::string_view JsonReader::TextOf(Object& object) {
  if (failed_) return {};
  std::string_view json;
  if (const auto error = object.raw_json().get(json)) {
    FailSyntax(error);
  } else if (const auto rewound = object.reset().error()) {
    FailSyntax(rewound);
  }
  return json;
}

void JsonReader::Skip(Value value) {
  const std::string_view json = PassOver(value);
  if (json.empty() || (json.front() != '{' && json.front() != '[')) return;
  if (NestsDeeper(json, kMaxNesting - path_.size())) {
    Reject(fmt::format("nested deeper than {} levels", kMaxNesting));
  }
}

std::string_view JsonReader::PassOver(Value value) {
  const std::string_view token = Token(value);
  std::string_view json = token;
  simdjson::ondemand::array array;
  simdjson::error_code error = simdjson::SUCCESS;
  if (token.starts_with('{')) {
    if (auto object = AsObject(value)) error = object->raw_json().get(json);
  } else if (token.starts_with('[')) {
    if (StartArray(value, array)) error = array.raw_json().get(json);
  } else if (token.starts_with('"')) {
    error = value.get_raw_json_string().error();  // Moves past the string.
  } else if (token != "true" && token != "false" && !IsJsonNumber(token)) {
    RejectType("a value", value);
  }
  if (error) FailSyntax(error);
  return json;
}

}  // namespace berth::api
