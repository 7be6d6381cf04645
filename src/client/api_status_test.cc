#include "client/api_status.h"

#include <gtest/gtest.h>

// Tests set only the fields that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::client {
namespace BERTH_TEST_FILE {

// Returns a Status in the protobuf envelope: {message 3, reason 4, details 5 {retryAfterSeconds
// 5}}.
std::string ProtobufStatus() {
  const auto field = [](int number, const std::string& bytes) {
    return std::string(1, static_cast<char>(number << 3 | 2)) +
           std::string(1, static_cast<char>(bytes.size())) + bytes;
  };
  const std::string type = field(1, "v1") + field(2, "Status");
  const std::string status =
      field(3, "slow down") + field(4, "TooManyRequests") + field(5, std::string("\x28\x07"));
  return std::string("k8s\0", 4) + field(1, type) + field(2, status);
}

TEST(ReadStatusTest, ReadsJsonAndProtobuf) {
  ApiStatus status = ReadStatus({.status = 429,
                                 .headers = {{"Content-Type", "application/json"}},
                                 .body = R"({"kind":"Status","apiVersion":"v1","message":"wait",
                                   "reason":"TooManyRequests","details":{"retryAfterSeconds":3}})"});
  EXPECT_EQ(status.code, 429);
  EXPECT_EQ(status.reason, "TooManyRequests");
  EXPECT_EQ(status.message, "wait");
  EXPECT_EQ(status.retry_after_seconds, 3);
  status = ReadStatus({.status = 429,
                       .headers = {{"Content-Type", "application/vnd.kubernetes.protobuf"}},
                       .body = ProtobufStatus()});
  EXPECT_EQ(status.reason, "TooManyRequests");
  EXPECT_EQ(status.message, "slow down");
  EXPECT_EQ(status.retry_after_seconds, 7);
}

TEST(DescribeTest, IsOneSentence) {
  const struct {
    const char* path;
    int status;
    std::string body;
    std::string want;  // After "GET ".
  } cases[] = {
      {"/api/v1/pods?limit=5", 403,
       R"({"kind":"Status","reason":"Forbidden","message":"pods is forbidden: User \"x\" cannot)"
       R"( list resource \"pods\" in API group \"\" at the cluster scope"})",
       "/api/v1/pods: forbidden: User \"x\" cannot list resource \"pods\" in API group \"\" at the "
       "cluster scope"},
      {"/a", 404, R"({"kind":"Status","reason":"NotFound","message":"pods \"a\" not found"})",
       "/a: not found: pods \"a\" not found"},
      {"/a", 409, R"({"kind":"Status","reason":"AlreadyExists"})", "/a: already exists"},
      {"/a", 403, "forbidden by a proxy\n", "/a: forbidden: forbidden by a proxy"},
      {"/a", 502, "<html>\r\nbad\x01gateway", "/a: status 502: "},
      {"/a", 500, "", "/a: internal error"},
      {"/a", 500, "[]", "/a: internal error: []"},
      {"/a", 500, "{\"kind\":7}", "/a: internal error: {\"kind\":7}"},
      {"/a", 500, R"({"kind":"Status","reason":5,"message":{},"details":[]})",
       "/a: internal error"},
      {"/a", 500, std::string(100'000, '['), "/a: internal error: [[["},
      {"/a", 418, "", "/a: status 418"},
  };
  for (const auto& c : cases) {
    const std::string text = Describe({.method = "GET", .path = c.path},
                                      net::HttpResponse{.status = c.status, .body = c.body});
    EXPECT_EQ(text.substr(0, 4 + c.want.size()), "GET " + c.want);
    EXPECT_LT(text.size(), 400u);
    EXPECT_EQ(text.find('\n'), std::string::npos);
  }
  EXPECT_EQ(
      Describe({.path = "/a"}, net::HttpResult<net::HttpResponse>(std::unexpected(
                                   net::HttpError{net::HttpError::Kind::kTls, "GET h: TLS: no"}))),
      "GET h: TLS: no");
}

TEST(ReadStatusTest, InvalidProtobufIsTheMessage) {
  const ApiStatus status =
      ReadStatus({.status = 500,
                  .headers = {{"Content-Type", "application/vnd.kubernetes.protobuf"}},
                  .body = "k8s"});
  EXPECT_EQ(status.reason, "InternalError");
  EXPECT_EQ(status.message, "k8s");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
