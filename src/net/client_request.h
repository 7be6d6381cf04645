// A request of HttpClient, checked and ready to be sent in either protocol.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "net/http_client.h"
#include "net/url.h"

namespace berth::net {

struct WireRequest {
  std::string method;
  Url url;
  // Without those about framing and the connection, which differ between the protocols.
  std::vector<HttpHeader> headers;
  std::string body;

  // Whether the body's length is said: always if there is one, and for methods that have one.
  bool has_length() const;
};

// The error names what cannot be sent: the URL, the method or a header.
Result<WireRequest> MakeWireRequest(ClientRequest request);

}  // namespace berth::net
