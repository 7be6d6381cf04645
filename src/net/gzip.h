// gzip of large responses, as kube-apiserver has it, and of responses to clients.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_server.h"

namespace berth::net {

// Whether a peer that sends this Accept-Encoding takes gzip.
bool AcceptsGzip(std::string_view accept_encoding);

// The pieces one after the other, compressed fast rather than well. Empty if zlib has no memory.
std::string Gzip(const std::vector<Piece>& pieces);

// Unpacks what Gzip, or another, has packed. The error says that it is damaged, or that it would be
// longer than `limit`.
Result<std::string> Gunzip(std::string_view packed, size_t limit);

// Compresses the body if it is large, not compressed yet, and `request` accepts it.
void CompressIfWorthwhile(const ServerRequest& request, ServerResponse& response);

}  // namespace berth::net
