#include "net/gzip.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "base/text.h"
#include "net/server_session.h"

namespace berth::net {

namespace {

constexpr size_t kWorthCompressing = 128 << 10;
constexpr int kFast = 1;
constexpr int kGzipWindow = 15 + 16;  // The largest window, with gzip's header.
constexpr int kDefaultMemory = 8;
constexpr size_t kStep = 64 << 10;
constexpr size_t kMaxStep = 4 << 20;
// Removes and returns the part of `text` before `separator`.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view taken = Trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

// Reports whether the parameters of an encoding forbid it: "q=0", "q=0.000".
bool IsForbidden(std::string_view parameters) {
  while (!parameters.empty()) {
    const std::string_view parameter = TakeUntil(parameters, ';');
    if (!parameter.starts_with("q=") && !parameter.starts_with("Q=")) continue;
    const std::string_view weight = parameter.substr(2);
    return weight.starts_with('0') && weight.find_first_not_of("0.") == std::string_view::npos;
  }
  return false;
}

// Feeds `bytes` to `stream` and appends the output.
bool Deflate(z_stream& stream, std::string_view bytes, int flush, std::string& out) {
  // zlib counts in 32 bits.
  constexpr size_t kMaxInput = 1 << 30;
  do {
    const std::string_view input = bytes.substr(0, kMaxInput);
    bytes.remove_prefix(input.size());
    // zlib does not write to its input.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream.avail_in = static_cast<uInt>(input.size());
    do {
      const size_t size = out.size();
      out.resize(size + kStep);
      stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
      stream.avail_out = kStep;
      const int status = deflate(&stream, flush);
      out.resize(out.size() - stream.avail_out);
      if (status == Z_STREAM_ERROR) return false;
    } while (stream.avail_out == 0);
  } while (!bytes.empty());
  return true;
}

}  // namespace

bool AcceptsGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    std::string_view item = TakeUntil(accept_encoding, ',');
    if (EqualIgnoringCase(TakeUntil(item, ';'), "gzip")) return !IsForbidden(item);
  }
  return false;
}

std::string Gzip(const std::vector<Piece>& pieces) {
  z_stream stream{};
  if (deflateInit2(&stream, kFast, Z_DEFLATED, kGzipWindow, kDefaultMemory, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return {};
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, deflateEnd);
  std::string out;
  for (const Piece& piece : pieces) {
    if (!Deflate(stream, piece.bytes, Z_NO_FLUSH, out)) return {};
  }
  if (!Deflate(stream, {}, Z_FINISH, out)) return {};
  return out;
}

Result<std::string> Gunzip(std::string_view packed, size_t limit) {
  constexpr std::string_view kDamaged = "the gzip of the answer is damaged";
  // zlib counts in 32 bits.
  if (packed.size() > UINT32_MAX) return Fail("the gzip of the answer is too long");
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return Fail("zlib has no memory");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> closer(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  // `out` is longer than what was written to it: a gzip file may consist of many members, and a
  // short one must not cost more than its bytes.
  std::string out;
  size_t size = 0;
  for (;;) {
    if (size == out.size()) out.resize(size + std::max(kStep, std::min(size, kMaxStep)));
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(out.size() - size);
    const int status = inflate(&stream, Z_NO_FLUSH);
    size = out.size() - stream.avail_out;
    if (size > limit) return Fail(fmt::format("the answer is longer than {} bytes", limit));
    if (status == Z_STREAM_END && stream.avail_in == 0) break;
    const bool next = status == Z_STREAM_END && inflateReset(&stream) == Z_OK;
    if (!next && (status != Z_OK || (stream.avail_in == 0 && stream.avail_out > 0))) {
      return Fail(std::string(kDamaged));
    }
  }
  out.resize(size);
  return out;
}

void CompressIfWorthwhile(const ServerRequest& request, ServerResponse& response) {
  if (BodySize(response) < kWorthCompressing || !MayHaveBody(response.status)) return;
  if (!AcceptsGzip(request.header("Accept-Encoding"))) return;
  if (!FindHeader(response.headers, "Content-Encoding").empty()) return;
  std::string compressed = Gzip(response.body);
  if (compressed.empty()) return;
  const auto owner = std::make_shared<const std::string>(std::move(compressed));
  response.body = {{owner, *owner}};
  response.headers.push_back({"Content-Encoding", "gzip"});
  response.headers.push_back({"Vary", "Accept-Encoding"});
}

}  // namespace berth::net
