#include "api/json/yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "api/json/decode.h"
#include "api/json/json_text.h"
#include "api/json/yaml_stream.h"
#include "base/text.h"

namespace berth::api {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kSpace = " \t\r\n";

std::string_view SkipSpace(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text;
}

// Reports whether `text` is a sequence of JSON objects. A YAML map in braces seldom has a quote
// right after the brace; JSON documents between --- lines are read as YAML.
bool LooksLikeJson(std::string_view text) {
  if (!text.starts_with('{') || text.find("\n---") != std::string_view::npos) return false;
  text = SkipSpace(text.substr(1));
  return text.empty() || text.front() == '"' || text.front() == '}';
}

// Returns the length of the JSON object at the start of `text`; all of it if the object is
// unclosed.
size_t JsonObjectLength(std::string_view text) {
  size_t depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return text.size();
}

// FileDecoder decodes the objects of one file, document by document.
class FileDecoder {
 public:
  FileDecoder(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Result<std::vector<Object>> Decode() {
    std::string_view rest = text_;
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    Status status = LooksLikeJson(SkipSpace(rest)) ? AddJson(rest) : AddYaml(rest);
    if (!status) return std::unexpected(std::move(status).error());
    return std::move(objects_);
  }

 private:
  Status AddJson(std::string_view rest) {
    for (rest = SkipSpace(rest); !rest.empty(); rest = SkipSpace(rest)) {
      const auto before = text_.substr(0, static_cast<size_t>(rest.data() - text_.data()));
      const size_t line = 1 + static_cast<size_t>(std::ranges::count(before, '\n'));
      ++document_;
      if (!rest.starts_with('{')) {
        return FailHere(
            fmt::format("line {}: expected a JSON object, found {}", line, Shorten(rest, 20)));
      }
      const std::string_view json = rest.substr(0, JsonObjectLength(rest));
      if (auto status = Add(DecodeDocument(json, line)); !status) return status;
      rest.remove_prefix(json.size());
    }
    return {};
  }

  Status AddYaml(std::string_view rest) {
    YamlStream stream(rest);
    while (true) {
      ++document_;
      const auto json = stream.Next();
      if (!json) return FailHere(json.error().message);
      if (!*json) return {};
      if (**json == "null") continue;
      if (auto status = Add(DecodeDocument(**json, 1)); !status) return status;
    }
  }

  Status Add(Result<std::vector<Object>> objects) {
    if (!objects) return FailHere(objects.error().message);
    std::ranges::move(*objects, std::back_inserter(objects_));
    return {};
  }

  std::unexpected<Error> FailHere(std::string_view problem) const {
    return Fail(fmt::format("{}: document {}: {}", file_, document_, problem));
  }

  std::string_view text_;
  std::string_view file_;
  size_t document_ = 0;  // The number of the current one, from 1.
  std::vector<Object> objects_;
};

}  // namespace

Result<std::vector<std::string>> YamlToJson(std::string_view yaml) {
  std::vector<std::string> documents;
  YamlStream stream(yaml);
  while (true) {
    auto json = stream.Next();
    if (!json) return std::unexpected(std::move(json).error());
    if (!*json) return documents;
    if (**json != "null") documents.push_back(**std::move(json));
  }
}

Result<std::string> FirstDocumentToJson(std::string_view text) {
  if (SkipSpace(text).starts_with('{')) return std::string(text);
  auto json = YamlStream(text).Next();
  if (!json) return std::unexpected(std::move(json).error());
  return std::move(*json).value_or("null");
}

Result<std::vector<Object>> DecodeObjects(std::string_view text, std::string_view file) {
  return FileDecoder(text, file).Decode();
}

}  // namespace berth::api
