// Requests and responses of the API /berth/v1, independent of how they are transported.
// docs/http-api.md describes the API.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "base/result.h"

namespace berth::inspect {

inline constexpr std::string_view kRoot = "/berth/v1/";

// A response: a document, or a Status that says what is wrong.
struct Response {
  int status = 200;
  std::string body;  // JSON.
};

// Returns a Kubernetes Status with the reason of the code.
Response Failure(int code, std::string_view message);
// Returns 410: the list that a continue token is of has changed.
Response Expired();
Response Document(const api::JsonObject& document);

// Decodes %XX escapes. Returns nullopt if one is malformed or the result is not UTF-8.
std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

// A GET of a path below kRoot.
struct Request {
  std::vector<std::string> path;  // Segments after kRoot, decoded: {"pods", "shop", "web-1"}.
  std::vector<std::pair<std::string, std::string>> query;

  // Parses "/berth/v1/pods?limit=5". The error says what is malformed.
  static Result<Request> Parse(std::string_view target);

  // Returns the first value of the parameter; empty if there is none.
  std::string_view Get(std::string_view parameter) const;
  // Returns the number of the parameter, at most `most`; `otherwise` if it is absent. The error
  // says that it is no positive number.
  Result<uint64_t> Number(std::string_view parameter, uint64_t otherwise, uint64_t most) const;
};

// A page of a list: which items of the whole, and how to ask for the next.
struct Page {
  size_t first = 0;
  size_t limit = 0;
};

// Continue tokens are "VERSION.POSITION": the state of the list, and where the next page begins.
std::string ContinueToken(uint64_t version, size_t position);
// Reads the parameters limit and continue. The failure is 400 for values that cannot be parsed, and
// 410 if the token is of another version of the list.
std::expected<Page, Response> ReadPage(const Request& request, size_t most, uint64_t version);

}  // namespace berth::inspect
