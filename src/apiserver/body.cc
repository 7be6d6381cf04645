#include "apiserver/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "api/json_text.h"
#include "api/yaml.h"
#include "apiserver/negotiate.h"
#include "apiserver/query.h"
#include "kinds/json_numbers.h"
#include "kinds/protobuf_body.h"

namespace berth::apiserver {
namespace {

constexpr std::string_view kSupported =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

std::string PlaceOf(std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t newline = before.rfind('\n');
  const size_t column = before.size() - (newline == before.npos ? 0 : newline + 1) + 1;
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace

ApiResult<Json> ParseJson(std::string_view text, boost::json::storage_ptr storage) {
  boost::json::parse_options options;
  options.max_depth = api::kMaxNesting;
  std::array<unsigned char, 4096> stack;  // Most documents need no more.
  boost::json::stream_parser parser({}, options, stack.data(), stack.size());
  parser.reset(std::move(storage));
  boost::system::error_code error;
  const size_t read = parser.write(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (error) {
    return std::unexpected(BadRequest(
        fmt::format("the body is not valid JSON: {}: {}", PlaceOf(text, read), error.message())));
  }
  Json document = parser.release();
  if (!HasFiniteNumbers(document)) {
    return std::unexpected(BadRequest("the body is not valid JSON: a number is out of range"));
  }
  return document;
}

ApiResult<Json> ParseYaml(std::string_view text, boost::json::storage_ptr storage) {
  const auto json = api::FirstDocumentToJson(text);
  if (!json) {
    return std::unexpected(
        BadRequest(fmt::format("the body is not valid YAML: {}", json.error().message)));
  }
  return ParseJson(*json, std::move(storage));
}

bool IsJsonBody(std::string_view content_type) {
  return content_type.empty() || ParseMediaType(content_type).type == "application/json";
}

ApiResult<Json> ParseBody(std::string_view content_type, std::string_view body,
                          boost::json::storage_ptr storage) {
  if (IsJsonBody(content_type)) return ParseJson(body, std::move(storage));
  const std::string type = ParseMediaType(content_type).type;
  if (type == "application/yaml") return ParseYaml(body, std::move(storage));
  if (type == kProtobufType) return DecodeProtobufBody(body);
  const bool readable = IsUtf8(content_type);
  return std::unexpected(
      UnsupportedMediaType(readable ? api::Shorten(content_type) : "not UTF-8", kSupported));
}

ApiResult<Json> ParseOptionalBody(std::string_view content_type, std::string_view body,
                                  boost::json::storage_ptr storage) {
  if (body.empty()) return Json();
  return ParseBody(content_type, body, std::move(storage));
}

ApiResult<Json> ParsePatchBody(bool yaml, std::string_view body, boost::json::storage_ptr storage) {
  return yaml ? ParseYaml(body, std::move(storage)) : ParseJson(body, std::move(storage));
}

}  // namespace berth::apiserver
