// Compression of HTTP bodies with gzip: of large responses, under the conditions of kube-apiserver,
// and decompression for clients.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_server.h"

namespace berth::net {

// Reports whether a peer that sends this Accept-Encoding accepts gzip.
bool AcceptsGzip(std::string_view accept_encoding);

// Returns the concatenated pieces, compressed for speed rather than size; empty if zlib is out of
// memory.
std::string Gzip(const std::vector<Piece>& pieces);

// Decompresses `packed`. The error says that it is damaged, or that the result is longer than
// `limit`.
Result<std::string> Gunzip(std::string_view packed, size_t limit);

// Compresses the body if it is large, not compressed yet, and `request` accepts gzip.
void CompressIfWorthwhile(const ServerRequest& request, ServerResponse& response);

}  // namespace berth::net
