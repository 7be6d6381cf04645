#include "apiserver/negotiation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <optional>

#include "api/json/document.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/json/yaml.h"
#include "api/protobuf/to_json.h"
#include "apiserver/request_info.h"
#include "base/text.h"

namespace berth::apiserver {
namespace {

constexpr std::string_view kSupported = "application/json";
// Further entries of an Accept header are ignored.
constexpr size_t kMaxEntries = 64;

std::string Lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  });
  return out;
}

// Calls `part` for each trimmed part of `text` between separators.
void ForEachPart(std::string_view text, char separator,
                 const std::function<void(std::string_view)>& part) {
  while (true) {
    const size_t end = text.find(separator);
    part(Trim(text.substr(0, end)));
    if (end == text.npos) return;
    text = text.substr(end + 1);
  }
}

double Quality(const MediaType& type) {
  const std::string text(type.parameter("q"));
  if (text.empty()) return 1;
  char* end = nullptr;
  const double quality = std::strtod(text.c_str(), &end);
  return *end == '\0' && quality >= 0 && quality <= 1 ? quality : 1;
}

bool IsJson(const MediaType& type) {
  return type.type == "application/json" || type.type == "*/*" || type.type == "application/*";
}

bool IsMeta(const MediaType& type) {
  const std::string_view version = type.parameter("v");
  return type.parameter("g") == "meta.k8s.io" && (version == "v1" || version == "v1beta1");
}

std::optional<WantedForm> FormOfObject(const MediaType& type) {
  if (!IsJson(type)) return std::nullopt;
  const std::string_view as = type.parameter("as");
  if (as.empty()) return WantedForm{};
  if (!IsMeta(type)) return std::nullopt;
  const std::string version(type.parameter("v"));
  if (as == "Table") return WantedForm{Form::kTable, version};
  if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") {
    return WantedForm{Form::kPartialMetadata, version};
  }
  return std::nullopt;
}

std::optional<WantedForm> ProtobufForm(const MediaType& type) {
  if (type.type != api::protobuf::kContentType || !type.parameter("as").empty()) {
    return std::nullopt;
  }
  return WantedForm{.protobuf = true};
}

std::optional<WantedForm> DiscoveryForm(const MediaType& type) {
  if (!IsJson(type)) return std::nullopt;
  const std::string_view as = type.parameter("as");
  if (as.empty()) return WantedForm{};
  const std::string version(type.parameter("v"));
  const bool known = version == "v2" || version == "v2beta1";
  if (as != "APIGroupDiscoveryList" || type.parameter("g") != "apidiscovery.k8s.io" || !known) {
    return std::nullopt;
  }
  return WantedForm{Form::kDiscovery, version};
}

api::scheme::ApiResult<WantedForm> FirstOf(std::string_view accept,
                                           std::optional<WantedForm> (*form_of)(const MediaType&)) {
  if (Trim(accept).empty()) return WantedForm{};
  for (const MediaType& type : ParseAccept(accept)) {
    if (auto form = form_of(type)) return *std::move(form);
  }
  return std::unexpected(api::scheme::NotAcceptable(kSupported));
}

}  // namespace

std::string_view MediaType::parameter(std::string_view name) const {
  for (const auto& [key, value] : parameters) {
    if (key == name) return value;
  }
  return "";
}

MediaType ParseMediaType(std::string_view text) {
  MediaType media;
  bool first = true;
  ForEachPart(text, ';', [&](std::string_view part) {
    if (first) {
      media.type = Lower(part);
      first = false;
      return;
    }
    const size_t equals = part.find('=');
    if (equals == part.npos) return;
    std::string_view value = Trim(part.substr(equals + 1));
    if (value.size() > 1 && value.front() == '"' && value.back() == '"') {
      value = value.substr(1, value.size() - 2);
    }
    media.parameters.emplace_back(Lower(Trim(part.substr(0, equals))), value);
  });
  return media;
}

std::vector<MediaType> ParseAccept(std::string_view header) {
  std::vector<MediaType> types;
  ForEachPart(header, ',', [&](std::string_view part) {
    if (part.empty() || types.size() >= kMaxEntries) return;
    types.push_back(ParseMediaType(part));
  });
  std::erase_if(types, [](const MediaType& type) { return Quality(type) == 0; });
  std::ranges::stable_sort(types, std::greater<>(), Quality);
  return types;
}

api::scheme::ApiResult<WantedForm> WantedObjectForm(std::string_view accept) {
  auto json = FirstOf(accept, FormOfObject);
  if (json) return json;
  auto protobuf = FirstOf(accept, ProtobufForm);
  return protobuf ? protobuf : json;
}

api::scheme::ApiResult<WantedForm> WantedDiscoveryForm(std::string_view accept) {
  return FirstOf(accept, DiscoveryForm);
}

namespace {

constexpr std::string_view kSupportedBodyTypes =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

}  // namespace

api::scheme::ApiError BodyTooLarge() {
  return api::scheme::MakeError(
      413, fmt::format("Request entity too large: limit is {}", kMaxBodyBytes));
}

api::scheme::ApiResult<api::Json> ParseJson(std::string_view text,
                                            boost::json::storage_ptr storage) {
  auto document = api::ParseJson(text, {.storage = std::move(storage)});
  if (document) return *std::move(document);
  return std::unexpected(
      api::scheme::BadRequest("the body is not valid JSON: " + document.error().message));
}

api::scheme::ApiResult<api::Json> ParseYaml(std::string_view text,
                                            boost::json::storage_ptr storage) {
  const auto json = api::FirstDocumentToJson(text);
  if (!json) {
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("the body is not valid YAML: {}", json.error().message)));
  }
  // Aliases make the JSON larger than the body.
  if (json->size() > kMaxBodyBytes) return std::unexpected(BodyTooLarge());
  return ParseJson(*json, std::move(storage));
}

bool IsJsonBody(std::string_view content_type) {
  return content_type.empty() || ParseMediaType(content_type).type == "application/json";
}

bool IsProtobufBody(std::string_view content_type) {
  return ParseMediaType(content_type).type == api::protobuf::kContentType;
}

api::scheme::ApiResult<api::Json> ParseBody(std::string_view content_type, std::string_view body,
                                            boost::json::storage_ptr storage) {
  if (IsJsonBody(content_type)) return ParseJson(body, std::move(storage));
  const std::string type = ParseMediaType(content_type).type;
  if (type == "application/yaml") return ParseYaml(body, std::move(storage));
  if (IsProtobufBody(content_type)) {
    auto decoded = api::protobuf::DecodeToJson(body);
    if (decoded) return *std::move(decoded);
    return std::unexpected(
        api::scheme::MalformedPatch("the protobuf body cannot be read: " + decoded.error()));
  }
  const bool readable = api::IsUtf8(content_type);
  return std::unexpected(api::scheme::UnsupportedMediaType(
      readable ? Shorten(content_type) : "not UTF-8", kSupportedBodyTypes));
}

api::scheme::ApiResult<api::Json> ParseOptionalBody(std::string_view content_type,
                                                    std::string_view body,
                                                    boost::json::storage_ptr storage) {
  if (body.empty()) return api::Json();
  return ParseBody(content_type, body, std::move(storage));
}

api::scheme::ApiResult<api::Json> ParsePatchBody(bool yaml, std::string_view body,
                                                 boost::json::storage_ptr storage) {
  return yaml ? ParseYaml(body, std::move(storage)) : ParseJson(body, std::move(storage));
}

}  // namespace berth::apiserver
