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

// DocumentVisitor visits the documents of one text.
class DocumentVisitor {
 public:
  using Visit = std::function<Status(const DocumentText&)>;

  DocumentVisitor(std::string_view text, const Visit& visit) : text_(text), visit_(visit) {}

  Status Run() {
    std::string_view rest = text_;
    if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
    const Status status = LooksLikeJson(SkipSpace(rest)) ? VisitJson(rest) : VisitYaml(rest);
    if (status) return status;
    return Fail(fmt::format("document {}: {}", number_, status.error().message));
  }

 private:
  Status VisitJson(std::string_view rest) {
    for (rest = SkipSpace(rest); !rest.empty(); rest = SkipSpace(rest)) {
      const auto before = text_.substr(0, static_cast<size_t>(rest.data() - text_.data()));
      const size_t line = 1 + static_cast<size_t>(std::ranges::count(before, '\n'));
      ++number_;
      if (!rest.starts_with('{')) {
        return Fail(
            fmt::format("line {}: expected a JSON object, found {}", line, Shorten(rest, 20)));
      }
      const std::string_view json = rest.substr(0, JsonObjectLength(rest));
      if (Status status = visit_({number_, line, true, json}); !status) return status;
      rest.remove_prefix(json.size());
    }
    return {};
  }

  Status VisitYaml(std::string_view rest) {
    YamlStream stream(rest);
    while (true) {
      ++number_;
      const auto json = stream.Next();
      if (!json) return std::unexpected(json.error());
      if (!*json) return {};
      if (**json == "null") continue;
      if (Status status = visit_({number_, 1, false, **json}); !status) return status;
    }
  }

  std::string_view text_;
  const Visit& visit_;
  size_t number_ = 0;  // Of the current document, from 1.
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

Status ForEachDocument(std::string_view text,
                       const std::function<Status(const DocumentText&)>& visit) {
  return DocumentVisitor(text, visit).Run();
}

Result<std::vector<Object>> DecodeObjects(std::string_view text, std::string_view file) {
  std::vector<Object> objects;
  const Status status = ForEachDocument(text, [&](const DocumentText& document) -> Status {
    auto decoded = DecodeDocument(document.json, document.first_line);
    if (!decoded) return std::unexpected(std::move(decoded).error());
    std::ranges::move(*decoded, std::back_inserter(objects));
    return {};
  });
  if (!status) return Fail(fmt::format("{}: {}", file, status.error().message));
  return objects;
}

}  // namespace berth::api
