// JSON patch (RFC 6902): ApplyJsonPatch of patches.h.
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/scheme/api_error.h"
#include "apiserver/patch/patches.h"

namespace berth::apiserver::patch {
namespace {

// JsonPointer is a location in a JSON document (RFC 6901).
class JsonPointer {
 public:
  // The maximum nesting of a patched document.
  static constexpr size_t kMaxDepth = 256;

  static std::expected<JsonPointer, std::string> Parse(std::string_view text);

  size_t depth() const { return tokens_.size(); }
  bool IsRoot() const { return tokens_.empty(); }
  // Returns the last token. Must not be called on the root.
  const std::string& leaf() const { return tokens_.back(); }
  // Reports whether `other` is this location or below it.
  bool Contains(const JsonPointer& other) const;

  // Returns the value at this location; the error names the token that does not exist.
  std::expected<api::Json*, std::string> Find(api::Json& document) const;
  // Returns the object or array that contains the value. Must not be called on the root.
  std::expected<api::Json*, std::string> FindParent(api::Json& document) const;

 private:
  std::vector<std::string> tokens_;
};

// Parses an array index below `limit`, without sign and leading zeros.
std::optional<size_t> ParseArrayIndex(std::string_view token, size_t limit) {
  size_t index = 0;
  const char* end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, index);
  if (error != std::errc() || stop != end || index >= limit) return std::nullopt;
  if (token.size() > 1 && token.front() == '0') return std::nullopt;
  return index;
}

std::optional<std::string> Unescape(std::string_view token) {
  std::string plain;
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      plain += token[i];
      continue;
    }
    ++i;
    if (i == token.size() || (token[i] != '0' && token[i] != '1')) return std::nullopt;
    plain += token[i] == '0' ? '~' : '/';
  }
  return plain;
}

std::expected<api::Json*, std::string> Step(api::Json& value, const std::string& token) {
  if (auto* object = value.if_object()) {
    if (api::Json* member = object->if_contains(token)) return member;
    return std::unexpected("there is no member \"" + token + "\"");
  }
  if (auto* array = value.if_array()) {
    if (const auto index = ParseArrayIndex(token, array->size())) return &(*array)[*index];
    return std::unexpected("\"" + token + "\" is no index of the array, which has " +
                           std::to_string(array->size()) + " elements");
  }
  return std::unexpected("\"" + token + "\" is looked for in a value that has no members");
}

std::expected<api::Json*, std::string> FindPath(api::Json& document,
                                                std::span<const std::string> tokens) {
  api::Json* value = &document;
  for (const std::string& token : tokens) {
    const auto next = Step(*value, token);
    if (!next) return next;
    value = *next;
  }
  return value;
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

std::expected<api::Json*, std::string> JsonPointer::Find(api::Json& document) const {
  return FindPath(document, tokens_);
}

std::expected<api::Json*, std::string> JsonPointer::FindParent(api::Json& document) const {
  return FindPath(document, std::span(tokens_).first(tokens_.size() - 1));
}

// An operation's own size limits what it costs, except where it copies or shifts other values. The
// limits of these are for all operations of a patch together.
constexpr size_t kMaxOperations = 10'000;  // As in kube-apiserver.
// Each copy may double the document. kube-apiserver sets the same limit.
constexpr size_t kMaxCopiedBytes = 3 << 20;
// An insertion or removal shifts the elements behind its place: this is twice as many as
// kMaxOperations insertions at the front of an empty list shift.
constexpr size_t kMaxShiftedElements = kMaxOperations * kMaxOperations;

using Outcome = std::expected<void, std::string>;

// The approximate size of a value as JSON, and its nesting.
struct Extent {
  size_t bytes = 2;
  size_t depth = 1;

  void Add(const Extent& child) {
    bytes += child.bytes + 1;
    depth = std::max(depth, child.depth + 1);
  }
};

Extent Measure(const api::Json& value) {
  Extent extent;
  if (const auto* object = value.if_object()) {
    for (const auto& member : *object) {
      extent.bytes += member.key().size() + 3;
      extent.Add(Measure(member.value()));
    }
  } else if (const auto* array = value.if_array()) {
    for (const api::Json& element : *array) extent.Add(Measure(element));
  } else if (const auto* text = value.if_string()) {
    extent.bytes += text->size();
  }
  return extent;
}

class JsonPatch {
 public:
  explicit JsonPatch(api::Json document) : document_(std::move(document)) {}

  Outcome Apply(std::string_view name, const api::JsonObject& operation, const JsonPointer& path) {
    if (name == "add" || name == "replace" || name == "test") {
      const api::Json* value = operation.if_contains("value");
      if (value == nullptr) return std::unexpected("it has no \"value\"");
      if (name == "add") return Add(path, *value, Measure(*value).depth);
      return name == "test" ? Test(path, *value) : Replace(path, *value);
    }
    if (name == "remove") {
      const auto removed = Take(path);
      return removed ? Outcome() : std::unexpected(removed.error());
    }
    if (name == "move" || name == "copy") return MoveOrCopy(name == "move", operation, path);
    return std::unexpected("there is no such operation");
  }

  // Returns the status code of the error that Apply returned.
  int error_code() const { return error_code_; }
  api::Json Result() && { return std::move(document_); }

 private:
  Outcome Add(const JsonPointer& path, api::Json value, size_t depth) {
    if (path.depth() + depth > JsonPointer::kMaxDepth) {
      return std::unexpected("the document would be nested too deeply");
    }
    if (path.IsRoot()) {
      document_ = std::move(value);
      return {};
    }
    const auto parent = path.FindParent(document_);
    if (!parent) return std::unexpected(parent.error());
    if (auto* object = (*parent)->if_object()) {
      object->insert_or_assign(path.leaf(), std::move(value));
      return {};
    }
    auto* array = (*parent)->if_array();
    if (array == nullptr) return std::unexpected("the place is inside a value without members");
    const auto index =
        path.leaf() == "-" ? array->size() : ParseArrayIndex(path.leaf(), array->size() + 1);
    if (!index) {
      return std::unexpected("\"" + path.leaf() + "\" is no place in the array, which has " +
                             std::to_string(array->size()) + " elements");
    }
    if (auto outcome = Shift(array->size() - *index); !outcome) return outcome;
    array->insert(array->begin() + static_cast<ptrdiff_t>(*index), std::move(value));
    return {};
  }

  // Removes and returns the value at `path`.
  std::expected<api::Json, std::string> Take(const JsonPointer& path) {
    const auto found = path.Find(document_);
    if (!found) return std::unexpected(found.error());
    if (path.IsRoot()) return std::exchange(document_, nullptr);
    api::Json& parent = **path.FindParent(document_);
    api::Json value = std::move(**found);
    if (auto* object = parent.if_object()) {
      api::EraseMember(*object, path.leaf());
      return value;
    }
    api::JsonArray& array = parent.get_array();
    const ptrdiff_t index = *found - array.data();
    if (auto outcome = Shift(array.size() - static_cast<size_t>(index)); !outcome) {
      return std::unexpected(std::move(outcome.error()));
    }
    array.erase(array.begin() + index);
    return value;
  }

  Outcome TooExpensive(std::string problem) {
    error_code_ = 413;
    return std::unexpected(std::move(problem));
  }

  Outcome Shift(size_t elements) {
    shifted_ += elements;
    if (shifted_ <= kMaxShiftedElements) return {};
    return TooExpensive(
        "the patch shifts too many elements of lists; change a long list with another type of "
        "patch");
  }

  Outcome Replace(const JsonPointer& path, const api::Json& value) {
    if (path.depth() + Measure(value).depth > JsonPointer::kMaxDepth) {
      return std::unexpected("the document would be nested too deeply");
    }
    const auto found = path.Find(document_);
    if (!found) return std::unexpected(found.error());
    **found = value;
    return {};
  }

  Outcome Test(const JsonPointer& path, const api::Json& value) {
    const auto found = path.Find(document_);
    if (!found) return std::unexpected(found.error());
    if (**found != value) return std::unexpected("the value there is another one");
    return {};
  }

  Outcome MoveOrCopy(bool move, const api::JsonObject& operation, const JsonPointer& path) {
    const api::Json* from_text = operation.if_contains("from");
    if (from_text == nullptr || !from_text->is_string()) {
      return std::unexpected("it has no \"from\"");
    }
    const auto from = JsonPointer::Parse(std::string_view(from_text->get_string()));
    if (!from) return std::unexpected("\"from\" is no JSON pointer: " + from.error());
    const auto found = from->Find(document_);
    if (!found) return std::unexpected("from: " + found.error());
    // A move copies nothing, but its value must be measured.
    const Extent extent = Measure(**found);
    copied_ += extent.bytes;
    if (copied_ > kMaxCopiedBytes) {
      return TooExpensive("the copied values exceed the limit of " +
                          std::to_string(kMaxCopiedBytes) + " bytes");
    }
    if (!move) return Add(path, **found, extent.depth);
    if (from->Contains(path)) {
      if (path.depth() == from->depth()) return {};
      return std::unexpected("a value cannot move into itself");
    }
    auto value = Take(*from);
    if (!value) return std::unexpected(std::move(value.error()));
    return Add(path, *std::move(value), extent.depth);
  }

  api::Json document_;
  size_t copied_ = 0;   // Bytes.
  size_t shifted_ = 0;  // Elements.
  int error_code_ = 422;
};

std::string Quoted(const api::Json* value) {
  return value == nullptr ? std::string("none") : api::ToJsonText(*value);
}

}  // namespace

api::scheme::ApiResult<api::Json> ApplyJsonPatch(api::Json document, const api::Json& patch) {
  const auto* operations = patch.if_array();
  if (operations == nullptr) {
    return std::unexpected(api::scheme::MalformedPatch("a JSON patch is an array of operations"));
  }
  if (operations->size() > kMaxOperations) {
    return std::unexpected(api::scheme::MakeError(
        413, "a JSON patch may have " + std::to_string(kMaxOperations) +
                 " operations; this one has " + std::to_string(operations->size())));
  }
  JsonPatch result(std::move(document));
  for (const api::Json& element : *operations) {
    const auto* operation = element.if_object();
    if (operation == nullptr) {
      return std::unexpected(
          api::scheme::MalformedPatch("an operation of a JSON patch is an object"));
    }
    const api::Json* name = operation->if_contains("op");
    const api::Json* path = operation->if_contains("path");
    if (name == nullptr || !name->is_string() || path == nullptr || !path->is_string()) {
      return std::unexpected(
          api::scheme::MalformedPatch("an operation of a JSON patch has the strings \"op\" "
                                      "and \"path\"; this one has op " +
                                      Quoted(name) + " and path " + Quoted(path)));
    }
    const auto pointer = JsonPointer::Parse(std::string_view(path->get_string()));
    const Outcome outcome =
        pointer ? result.Apply(std::string_view(name->get_string()), *operation, *pointer)
                : std::unexpected("the path is no JSON pointer: " + pointer.error());
    if (!outcome) {
      return std::unexpected(api::scheme::MakeError(
          result.error_code(), "the operation " + Quoted(name) + " at " + Quoted(path) +
                                   " of the JSON patch failed: " + outcome.error()));
    }
  }
  return std::move(result).Result();
}

}  // namespace berth::apiserver::patch
