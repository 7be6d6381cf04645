// Content negotiation: the representation that a client accepts, and the format of request bodies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::apiserver {

// A parsed media type: "application/json;as=Table;v=v1". Names are in lower case.
struct MediaType {
  std::string type;  // "application/json"
  std::vector<std::pair<std::string, std::string>> parameters;

  // Returns the value of a parameter; empty if it is absent.
  std::string_view parameter(std::string_view name) const;
};
MediaType ParseMediaType(std::string_view text);

// Returns the entries of an Accept header, sorted by q, then in the order given. Omits those with
// q=0.
std::vector<MediaType> ParseAccept(std::string_view header);

enum class Form : uint8_t {
  kPlain,            // The object or list itself.
  kTable,            // The table that kubectl prints.
  kPartialMetadata,  // Only the metadata of the objects.
  kDiscovery,        // Aggregated discovery.
};

struct WantedForm {
  Form form = Form::kPlain;
  std::string version = {};  // Of Table, PartialObjectMetadata or discovery: "v1", "v1beta1", "v2".
  bool protobuf = false;     // Of kPlain.
};

// Returns the form of the first entry of `accept` that is JSON and that Berth supports: clients
// that prefer protobuf and also accept JSON or */* get JSON, which needs no conversion. Those that
// accept only protobuf get that. Returns NotAcceptable if there is none.
api::scheme::ApiResult<WantedForm> WantedObjectForm(std::string_view accept);
// Returns the form for /api and /apis: plain or aggregated.
api::scheme::ApiResult<WantedForm> WantedDiscoveryForm(std::string_view accept);

// The limit of request bodies, as in kube-apiserver.
inline constexpr size_t kMaxBodyBytes = 3 << 20;
api::scheme::ApiError BodyTooLarge();

// The functions below parse request bodies into documents in `storage`, except for protobuf, whose
// documents are on the heap.

// Returns BadRequest with line and column for nesting deeper than api::kMaxNesting, invalid UTF-8,
// bytes after the end and bad syntax.
api::scheme::ApiResult<api::Json> ParseJson(std::string_view text,
                                            boost::json::storage_ptr storage);
// Parses the first YAML document. The limit of bodies also holds for the JSON that it stands for.
api::scheme::ApiResult<api::Json> ParseYaml(std::string_view text,
                                            boost::json::storage_ptr storage);

// Parses JSON (the default), YAML or protobuf; returns UnsupportedMediaType for other types.
api::scheme::ApiResult<api::Json> ParseBody(std::string_view content_type, std::string_view body,
                                            boost::json::storage_ptr storage);

// Report whether ParseBody parses the body as JSON, or as protobuf.
bool IsJsonBody(std::string_view content_type);
bool IsProtobufBody(std::string_view content_type);

// Parses the body of a DELETE; returns null if it is empty.
api::scheme::ApiResult<api::Json> ParseOptionalBody(std::string_view content_type,
                                                    std::string_view body,
                                                    boost::json::storage_ptr storage);

// Parses the body of a PATCH as JSON, or as YAML for applies.
api::scheme::ApiResult<api::Json> ParsePatchBody(bool yaml, std::string_view body,
                                                 boost::json::storage_ptr storage);

}  // namespace berth::apiserver
