// JsonPointer is a place in a JSON document (RFC 6901).
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"

namespace berth::apiserver::patch {

class JsonPointer {
 public:
  // Documents grow no deeper than this by patching.
  static constexpr size_t kMaxDepth = 256;

  // Or what is wrong with `text`.
  static std::expected<JsonPointer, std::string> Parse(std::string_view text);

  size_t depth() const { return tokens_.size(); }
  bool IsRoot() const { return tokens_.empty(); }
  // The last token; the pointer is not the root.
  const std::string& leaf() const { return tokens_.back(); }
  // Whether `other` is this place or lies below it.
  bool Contains(const JsonPointer& other) const;

  // What is there, or which token leads nowhere.
  std::expected<api::Json*, std::string> Find(api::Json& document) const;
  // What holds the last token; the pointer is not the root.
  std::expected<api::Json*, std::string> FindParent(api::Json& document) const;

 private:
  std::vector<std::string> tokens_;
};

// An array index below `limit`, written without sign and leading zeros.
std::optional<size_t> ParseArrayIndex(std::string_view token, size_t limit);

}  // namespace berth::apiserver::patch
