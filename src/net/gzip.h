// Compression of HTTP bodies with gzip: of large responses, under the conditions of kube-apiserver,
// and decompression for clients.
#pragma once

#include <cstddef>
#include <memory>
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

// Reports whether the body is large, not compressed yet, and `request` accepts gzip.
bool IsWorthCompressing(const ServerRequest& request, const ServerResponse& response);

// GzipResponse compresses the body of a response step by step, so that its thread can do other work
// in between.
class GzipResponse {
 public:
  explicit GzipResponse(ServerResponse response);
  ~GzipResponse();

  // Compresses the next 64 KiB, in about a millisecond. Returns false when there is no more.
  bool Step();
  // Returns the response: compressed, or as it was if zlib is out of memory.
  ServerResponse Take();

 private:
  class Deflater;

  ServerResponse response_;
  std::unique_ptr<Deflater> deflater_;
  size_t piece_ = 0;   // The next piece to compress,
  size_t offset_ = 0;  // from this byte on.
  std::string compressed_;
  bool failed_ = false;
};

}  // namespace berth::net
