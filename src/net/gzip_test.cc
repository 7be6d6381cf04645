#include "net/gzip.h"

#include <gtest/gtest.h>
#include <zlib.h>

namespace berth::net {
namespace BERTH_TEST_FILE {

// Decompresses with zlib directly, independent of Gunzip.
std::string Inflate(const std::string& compressed) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
  stream.avail_in = static_cast<uInt>(compressed.size());
  std::string out(4 << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  return out;
}

Piece MakePiece(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  return {owner, *owner};
}

TEST(GzipTest, ParsesAcceptEncoding) {
  const std::vector<std::pair<const char*, bool>> cases = {
      {"", false},
      {"gzip", true},
      {"GZIP", true},
      {"deflate, gzip;q=0.5", true},
      {"deflate,br", false},
      {"gzip;q=0", false},
      {"gzip; q=0.000", false},
      {"gzip;q=0.001", true},
      {"xgzip", false},
      {" , ,gzip ", true},
  };
  for (const auto& [header, want] : cases) EXPECT_EQ(AcceptsGzip(header), want) << header;
}

TEST(GzipTest, DecompressesUpToALimit) {
  const std::string text(1000, 'a');
  const std::string packed = Gzip({MakePiece(text)});
  const struct {
    std::string packed;
    size_t limit;
    std::string want;
  } cases[] = {
      {packed, 1000, text},
      {packed, 999, "the answer is longer than 999 bytes"},
      {packed + packed, 2000, text + text},
      {packed.substr(0, packed.size() - 1), 1000, "the gzip of the answer is damaged"},
      {packed + "x", 1000, "the gzip of the answer is damaged"},
      {"nonsense", 1000, "the gzip of the answer is damaged"},
      {"", 1000, "the gzip of the answer is damaged"},
  };
  for (const auto& c : cases) {
    const auto unpacked = Gunzip(c.packed, c.limit);
    EXPECT_EQ(unpacked ? *unpacked : unpacked.error().message, c.want);
  }
}

// Half a minute if each cost a buffer of its own.
TEST(GzipTest, ManyShortMembersCostNoMoreThanTheirBytes) {
  const std::string member = Gzip({MakePiece("a")});
  constexpr size_t kMembers = 1'000'000;
  std::string packed;
  packed.reserve(kMembers * member.size());
  for (size_t i = 0; i < kMembers; ++i) packed += member;
  const auto unpacked = Gunzip(packed, kMembers);
  ASSERT_TRUE(unpacked.has_value()) << unpacked.error().message;
  EXPECT_EQ(*unpacked, std::string(kMembers, 'a'));
}

TEST(GzipTest, RoundTrips) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919);
  EXPECT_EQ(Inflate(Gzip({MakePiece(text), MakePiece(""), MakePiece("end")})), text + "end");
  EXPECT_EQ(Inflate(Gzip({})), "");
}

TEST(GzipTest, CompressesLargeResponsesForClientsThatAcceptGzip) {
  ServerRequest request;
  request.headers = {{"Accept-Encoding", "gzip"}};
  const std::string large(128 << 10, 'x');
  const ServerResponse response = ServerResponse::Text(200, "text/plain", large);
  EXPECT_TRUE(IsWorthCompressing(request, response));

  const ServerResponse small = ServerResponse::Text(200, "text/plain", large.substr(1));
  EXPECT_FALSE(IsWorthCompressing(request, small));

  ServerResponse done = response;
  done.headers.push_back({"Content-Encoding", "br"});
  EXPECT_FALSE(IsWorthCompressing(request, done));

  request.headers.clear();
  EXPECT_FALSE(IsWorthCompressing(request, response));
}

TEST(GzipTest, CompressesAResponseInSmallSteps) {
  const std::string large(1 << 20, 'x');
  ServerResponse plain = ServerResponse::Text(200, "text/plain", large);
  for (const char* text : {"", "a", "b"}) plain.body.push_back(MakePiece(text));
  GzipResponse compression(std::move(plain));
  int steps = 1;
  while (compression.Step()) ++steps;
  EXPECT_EQ(steps, 17) << "one for each 64 KiB that has begun";
  const ServerResponse response = compression.Take();
  EXPECT_EQ(FindHeader(response.headers, "Content-Type"), "text/plain");
  EXPECT_EQ(FindHeader(response.headers, "Content-Encoding"), "gzip");
  EXPECT_EQ(FindHeader(response.headers, "Vary"), "Accept-Encoding");
  EXPECT_EQ(Inflate(std::string(response.body.at(0).bytes)), large + "ab");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
