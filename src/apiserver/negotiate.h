// Content negotiation: in which form an answer is wanted, and which form a body has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinds/api_error.h"

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
ApiResult<WantedForm> WantedObjectForm(std::string_view accept);
// The same for /api and /apis: plain or aggregated.
ApiResult<WantedForm> WantedDiscoveryForm(std::string_view accept);

}  // namespace berth::apiserver
