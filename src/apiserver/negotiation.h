// Content negotiation: in which form an answer is wanted, and which form a body has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/api_error.h"

namespace berth::apiserver {

// "application/json;as=Table;v=v1" taken apart. Names are in lower case.
struct MediaType {
  std::string type;  // "application/json"
  std::vector<std::pair<std::string, std::string>> parameters;

  // Empty if it is not given.
  std::string_view parameter(std::string_view name) const;
};
MediaType ParseMediaType(std::string_view text);

// The entries of an Accept header, best first: by q, then in the order given. Those with q=0 are
// left out.
std::vector<MediaType> ParseAccept(std::string_view header);

enum class Form : uint8_t {
  kPlain,            // The object or list itself.
  kTable,            // What kubectl prints.
  kPartialMetadata,  // The objects' metadata alone.
  kDiscovery,        // Aggregated discovery.
};

struct WantedForm {
  Form form = Form::kPlain;
  std::string version;  // Of Table, PartialObjectMetadata or discovery: "v1", "v1beta1", "v2".
};

// The form of the first entry of `accept` that Berth can give; all are JSON. Clients that prefer
// protobuf and name JSON or */* beside it get JSON. NotAcceptable if there is none.
api::scheme::ApiResult<WantedForm> WantedObjectForm(std::string_view accept);
// The same for /api and /apis: plain or aggregated.
api::scheme::ApiResult<WantedForm> WantedDiscoveryForm(std::string_view accept);

// Request bodies: bytes of one of several formats, turned into JSON documents, which live in
// `storage` (those made of protobuf do not).
// JSON text. Nesting deeper than api::kMaxNesting, invalid UTF-8, bytes after the end and bad
// syntax are BadRequest with line and column.
api::scheme::ApiResult<api::Json> ParseJson(std::string_view text,
                                            boost::json::storage_ptr storage);
// The first YAML document.
api::scheme::ApiResult<api::Json> ParseYaml(std::string_view text,
                                            boost::json::storage_ptr storage);

// By `content_type`: JSON (also if it is empty), YAML or protobuf; UnsupportedMediaType otherwise.
api::scheme::ApiResult<api::Json> ParseBody(std::string_view content_type, std::string_view body,
                                            boost::json::storage_ptr storage);

// Whether ParseBody reads it as JSON.
bool IsJsonBody(std::string_view content_type);

// The body of a DELETE: null if it is empty.
api::scheme::ApiResult<api::Json> ParseOptionalBody(std::string_view content_type,
                                                    std::string_view body,
                                                    boost::json::storage_ptr storage);

// The body of a PATCH: JSON, or YAML for applies, which may be either.
api::scheme::ApiResult<api::Json> ParsePatchBody(bool yaml, std::string_view body,
                                                 boost::json::storage_ptr storage);

}  // namespace berth::apiserver
