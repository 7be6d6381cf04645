#include "patch/json_pointer.h"

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <span>

namespace berth::apiserver {
namespace {

std::optional<std::string> Unescape(std::string_view token) {
  std::string plain;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      plain += token[i];
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    plain += token[i] == '0' ? '~' : '/';
  }
  return plain;
}

std::expected<Json*, std::string> Step(Json& value, const std::string& token) {
  if (auto* object = value.if_object()) {
    if (Json* member = object->if_contains(token)) return member;
    return std::unexpected("there is no member \"" + token + "\"");
  }
  if (auto* array = value.if_array()) {
    if (const auto index = ParseArrayIndex(token, array->size())) return &(*array)[*index];
    return std::unexpected("\"" + token + "\" is no index of the array, which has " +
                           std::to_string(array->size()) + " elements");
  }
  return std::unexpected("\"" + token + "\" is looked for in a value that has no members");
}

std::expected<Json*, std::string> Walk(Json& document, std::span<const std::string> tokens) {
  Json* value = &document;
  for (const std::string& token : tokens) {
    const auto next = Step(*value, token);
    if (!next) return next;
    value = *next;
  }
  return value;
}

}  // namespace

std::optional<size_t> ParseArrayIndex(std::string_view token, size_t limit) {
  size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc() || stop != end || index >= limit) return std::nullopt;
  if (token.size() > 1 && token.front() == '0') return std::nullopt;
  return index;
}

std::expected<JsonPointer, std::string> JsonPointer::Parse(std::string_view text) {
  JsonPointer pointer;
  if (text.empty()) return pointer;
  if (text.front() != '/') return std::unexpected("it does not start with a slash");
  while (!text.empty()) {
    text.remove_prefix(1);
    const size_t end = std::min(text.find('/'), text.size());
    auto token = Unescape(text.substr(0, end));
    if (!token) return std::unexpected("a tilde is followed by neither 0 nor 1");
    pointer.tokens_.push_back(*std::move(token));
    if (pointer.depth() > kMaxDepth) {
      return std::unexpected("it is deeper than " + std::to_string(kMaxDepth));
    }
    text.remove_prefix(end);
  }
  return pointer;
}

bool JsonPointer::Contains(const JsonPointer& other) const {
  return tokens_.size() <= other.tokens_.size() &&
         std::equal(tokens_.begin(), tokens_.end(), other.tokens_.begin());
}

std::expected<Json*, std::string> JsonPointer::Find(Json& document) const {
  return Walk(document, tokens_);
}

std::expected<Json*, std::string> JsonPointer::FindParent(Json& document) const {
  return Walk(document, std::span(tokens_).first(tokens_.size() - 1));
}

}  // namespace berth::apiserver
