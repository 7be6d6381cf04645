#include "api/json/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "api/json/document.h"

namespace berth::api {

namespace {

constexpr char kHex[] = "0123456789abcdef";

bool NeedsEscape(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20; }

void AppendEscape(std::string& out, char c) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[c & 0xf];
  }
}

}  // namespace

void AppendJsonString(std::string& out, std::string_view text) {
  out += '"';
  size_t plain = 0;  // The start of the text not yet copied.
  for (size_t i = 0; i < text.size(); ++i) {
    if (!NeedsEscape(text[i])) continue;
    out += text.substr(plain, i - plain);
    AppendEscape(out, text[i]);
    plain = i + 1;
  }
  out += text.substr(plain);
  out += '"';
}

std::string JsonQuoted(std::string_view text) {
  std::string out;
  AppendJsonString(out, text);
  return out;
}

namespace {

template <typename Number>
void AppendNumber(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  out.append(digits.data(), end);
}

// The shortest text that reads back as `number`, in encoding/json's form: plain digits from 1e-6 up
// to 1e21, otherwise an exponent without leading zeros.
void AppendDouble(std::string& out, double number) {
  const double size = std::fabs(number);
  const bool is_plain = size == 0 || (size >= 1e-6 && size < 1e21);
  std::array<char, 64> digits;
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number,
                    is_plain ? std::chars_format::fixed : std::chars_format::scientific)
          .ptr;
  std::string_view text(digits.data(), end);
  const size_t exponent = text.size() < 4 ? 0 : text.size() - 4;
  if (!is_plain && text.substr(exponent).starts_with("e-0")) {
    out.append(text.substr(0, exponent + 2));
    out += text.back();
    return;
  }
  out += text;
}

bool AppendObject(std::string& out, const JsonObject& object, size_t depth) {
  if (depth == 0) return false;
  char separator = '{';
  for (const auto& [key, item] : object) {
    out += separator;
    separator = ',';
    AppendJsonString(out, {key.data(), key.size()});
    out += ':';
    if (!AppendJson(out, item, depth - 1)) return false;
  }
  out += separator == '{' ? "{}" : "}";
  return true;
}

}  // namespace

bool AppendJson(std::string& out, const Json& value, size_t depth) {
  switch (value.kind()) {
    case boost::json::kind::null:
      out += "null";
      return true;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      return true;
    case boost::json::kind::int64:
      AppendNumber(out, value.get_int64());
      return true;
    case boost::json::kind::uint64:
      AppendNumber(out, value.get_uint64());
      return true;
    case boost::json::kind::double_:
      AppendDouble(out, value.get_double());
      return true;
    case boost::json::kind::string:
      AppendJsonString(out, ViewOf(value.get_string()));
      return true;
    case boost::json::kind::array: {
      if (depth == 0) return false;
      char separator = '[';
      for (const Json& item : value.get_array()) {
        out += separator;
        separator = ',';
        if (!AppendJson(out, item, depth - 1)) return false;
      }
      out += separator == '[' ? "[]" : "]";
      return true;
    }
    case boost::json::kind::object:
      return AppendObject(out, value.get_object(), depth);
  }
  return true;
}

std::string ToJsonText(const Json& value) {
  std::string out;
  AppendJson(out, value);
  return out;
}

std::string ToJsonText(const JsonObject& object) {
  std::string out;
  AppendObject(out, object, std::numeric_limits<size_t>::max());
  return out;
}

namespace {

void AppendCanonical(std::string& out, const Json& value) {
  if (const JsonArray* array = value.if_array()) {
    out += '[';
    for (const Json& item : *array) {
      if (out.back() != '[') out += ',';
      AppendCanonical(out, item);
    }
    out += ']';
    return;
  }
  const JsonObject* object = value.if_object();
  if (!object) {
    AppendJson(out, value);
    return;
  }
  std::vector<const boost::json::key_value_pair*> members;
  members.reserve(object->size());
  for (const auto& member : *object) members.push_back(&member);
  std::ranges::sort(members, {},
                    [](const auto* member) { return std::string_view(member->key()); });
  out += '{';
  for (const auto* member : members) {
    if (out.back() != '{') out += ',';
    AppendJsonString(out, member->key());
    out += ':';
    AppendCanonical(out, member->value());
  }
  out += '}';
}

}  // namespace

std::string ToCanonicalJson(const Json& value) {
  std::string out;
  AppendCanonical(out, value);
  return out;
}

namespace {

void AppendPretty(std::string& out, const Json& value, size_t indent) {
  const JsonObject* object = value.if_object();
  const JsonArray* array = value.if_array();
  const size_t size = object ? object->size() : array ? array->size() : 0;
  if (size == 0) {
    AppendJson(out, value);
    return;
  }
  const auto new_line = [&](size_t spaces) { out.append(1, '\n').append(spaces, ' '); };
  const size_t deeper = indent + 2;
  char separator = object ? '{' : '[';
  const auto begin_element = [&] {
    out += std::exchange(separator, ',');
    new_line(deeper);
  };
  if (object) {
    for (const auto& [key, member] : *object) {
      begin_element();
      AppendJsonString(out, {key.data(), key.size()});
      out += ": ";
      AppendPretty(out, member, deeper);
    }
  } else {
    for (const Json& item : *array) {
      begin_element();
      AppendPretty(out, item, deeper);
    }
  }
  new_line(indent);
  out += object ? '}' : ']';
}

}  // namespace

std::string ToPrettyJson(const Json& value) {
  std::string out;
  AppendPretty(out, value, 0);
  return out;
}

void JsonWriter::Key(std::string_view key) {
  Comma();
  AppendJsonString(out_, key);
  out_ += ':';
}

void JsonWriter::String(std::string_view text) {
  Comma();
  AppendJsonString(out_, text);
}

void JsonWriter::Int(int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  Literal({digits, end});
}

void JsonWriter::Rewind(size_t mark) { out_.resize(mark); }

bool JsonWriter::at_start() const {
  return !out_.empty() && (out_.back() == '{' || out_.back() == '[');
}

// A string ends in a quote, so a bracket at the end of the text is an opening bracket.
void JsonWriter::Comma() {
  if (!out_.empty() && !at_start() && out_.back() != ':') out_ += ',';
}

void JsonWriter::Open(char bracket) {
  Comma();
  out_ += bracket;
}

void JsonWriter::Close(char bracket) { out_ += bracket; }

void JsonWriter::Literal(std::string_view text) {
  Comma();
  out_ += text;
}

}  // namespace berth::api
