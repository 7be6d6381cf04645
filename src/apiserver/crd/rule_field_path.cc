#include "apiserver/crd/rule_field_path.h"

#include <fmt/format.h>

#include "apiserver/crd/schema.h"

namespace berth::apiserver::crd {
namespace {

constexpr std::string_view kDelimiters = ".[]";

// Takes a name up to the next delimiter.
std::optional<std::string> TakeName(std::string_view& text) {
  const size_t size = std::min(text.find_first_of(kDelimiters), text.size());
  if (size == 0) return std::nullopt;
  std::string name(text.substr(0, size));
  text.remove_prefix(size);
  return name;
}

std::optional<char> Unescaped(char c) {
  constexpr std::string_view kLetters = "abfnrtv'\\";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v'\\";
  const size_t found = kLetters.find(c);
  return found == kLetters.npos ? std::nullopt : std::optional(kMeanings[found]);
}

// Takes 'name'].
std::optional<std::string> TakeQuotedName(std::string_view& text) {
  if (!text.starts_with('\'')) return std::nullopt;
  std::string name;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\'') {
      text.remove_prefix(i + 1);
      if (!text.starts_with(']')) return std::nullopt;
      text.remove_prefix(1);
      return name;
    }
    if (text[i] == '\\') {
      const auto meaning = ++i < text.size() ? Unescaped(text[i]) : std::nullopt;
      if (!meaning) return std::nullopt;
      name += *meaning;
    } else {
      name += text[i];
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> ReadFieldPath(std::string_view text, const Schema& schema) {
  std::string path;
  const Schema* at = &schema;
  while (!text.empty()) {
    const char delimiter = text[0];
    text.remove_prefix(1);
    std::optional<std::string> name;
    if (delimiter == '.') name = TakeName(text);
    if (delimiter == '[') name = TakeQuotedName(text);
    if (!name || at == nullptr) return std::nullopt;
    if (!at->properties.empty()) {
      at = at->FindProperty(*name);
      if (at == nullptr) return std::nullopt;
      path += (path.empty() ? "" : ".") + *name;
    } else if (at->additional != Schema::Additional::kAbsent) {
      at = at->additional_schema.get();
      path += fmt::format("[{}]", *name);
    } else {
      return std::nullopt;
    }
  }
  return path;
}

}  // namespace berth::apiserver::crd
