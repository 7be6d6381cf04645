#include "api/json/yaml_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"

namespace berth::api {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reports whether YAML 1.1 reads the bare word as something other than a string.
bool IsReserved(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kWords = {"y",    "n",  "yes",   "no", "true",
                                                             "null", "on", "false", "off"};
  const auto same_letter = [](char a, char b) { return (IsLetter(a) ? a | 0x20 : a) == b; };
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return std::ranges::equal(text, word, same_letter); });
}

// Reports whether `text` needs no quotes. Conservative: only words, paths, addresses and durations
// qualify.
bool IsBare(std::string_view text) {
  if (text.empty() || IsReserved(text)) return false;
  const bool is_duration = IsDigit(text.front()) && text.back() == 's';
  if (!IsLetter(text.front()) && text.front() != '/' && !is_duration) return false;
  if (text.back() == ':') return false;
  return std::ranges::all_of(text, [](char c) {
    return IsLetter(c) || IsDigit(c) || std::string_view("-_./:").contains(c);
  });
}

// Escapes everything that is not ASCII, since parsers differ in their treatment of line separators
// and control characters. `text` must be valid UTF-8.
std::string EscapeUnicode(std::string_view text) {
  std::string escaped;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x7f) {
      escaped += text[i++];
      continue;
    }
    const size_t tails = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    uint32_t code = tails == 0 ? lead : lead & (0x3fu >> tails);
    for (size_t j = 1; j <= tails; ++j) {
      code = code << 6 | (static_cast<unsigned char>(text[i + j]) & 0x3fu);
    }
    i += tails + 1;
    escaped += fmt::format("\\U{:08x}", code);
  }
  return escaped;
}

std::string Scalar(std::string_view text) {
  if (IsBare(text)) return std::string(text);
  std::string quoted;
  AppendJsonString(quoted, text);
  return EscapeUnicode(quoted);
}

using Lines = std::vector<std::string>;

Lines ToLines(const Json& value);

void Append(Lines& lines, const Lines& more, std::string_view first, std::string_view others) {
  for (const std::string& line : more) {
    lines.push_back(std::string(&line == &more.front() ? first : others) + line);
  }
}

// Whether `value` is written as a block of lines of its own.
bool IsBlock(const Json& value) {
  return (value.is_object() && !value.get_object().empty()) ||
         (value.is_array() && !value.get_array().empty());
}

Lines ObjectLines(const JsonObject& object) {
  std::vector<const boost::json::key_value_pair*> members;
  for (const auto& member : object) members.push_back(&member);
  std::ranges::sort(members, {}, [](const auto* member) { return member->key(); });
  Lines lines;
  for (const auto* member : members) {
    const Json& value = member->value();
    const std::string key = Scalar(member->key()) + ":";
    if (!IsBlock(value)) {
      lines.push_back(key + " " + ToLines(value).front());
      continue;
    }
    lines.push_back(key);
    const std::string_view indent = value.is_object() ? "  " : "";
    Append(lines, ToLines(value), indent, indent);
  }
  return lines;
}

Lines ToLines(const Json& value) {
  if (value.is_string()) return {Scalar(AsString(value))};
  if (!IsBlock(value)) return {ToJsonText(value)};
  if (const JsonObject* object = value.if_object()) return ObjectLines(*object);
  Lines lines;
  for (const Json& item : value.get_array()) Append(lines, ToLines(item), "- ", "  ");
  return lines;
}

}  // namespace

std::string ToYamlText(const Json& document) {
  std::string text;
  for (const std::string& line : ToLines(document)) text += line + "\n";
  return text;
}

}  // namespace berth::api
