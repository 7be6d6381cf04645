#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "net/http_server.h"
#include "testing/http_handlers.h"
#include "testing/raw_client.h"

// Tests set only the options that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::net {
namespace BERTH_TEST_FILE {

struct RawCase {
  const char* name;
  std::string sent;
  std::string want;  // The whole output, without dates, once the client has closed its side.
};

std::string RawResponse(const std::string& status, const std::string& body, const char* more = "") {
  return "HTTP/1.1 " + status +
         "\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         more + "\r\n" + body;
}

const std::string kHost = "Host: h\r\n";
constexpr const char* kClose = "Connection: close\r\n";

std::vector<RawCase> RawCases() {
  const std::string not_http = "this is not an HTTP/1.1 request: ";
  return {
      {"Get", "GET /a?b=c HTTP/1.1\r\n" + kHost + "\r\n", RawResponse("200 OK", "GET /a?b=c 0 ")},
      {"Post", "POST /a HTTP/1.1\r\n" + kHost + "Content-Length: 3\r\n\r\nabc",
       RawResponse("200 OK", "POST /a 3 abc")},
      {"UnknownMethod", "FROB /a HTTP/1.1\r\n" + kHost + "\r\n",
       RawResponse("200 OK", "FROB /a 0 ")},
      {"Chunked",
       "POST /a HTTP/1.1\r\n" + kHost +
           "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: t\r\n\r\n",
       RawResponse("200 OK", "POST /a 5 abcde")},
      {"ChunkedWithoutChunks",
       "POST /a HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       RawResponse("200 OK", "POST /a 0 ")},
      {"Pipelined",
       "GET /1 HTTP/1.1\r\n" + kHost + "\r\nPOST /2 HTTP/1.1\r\n" + kHost +
           "Content-Length: 1\r\n\r\nx\r\nGET /3 HTTP/1.1\r\n" + kHost + "\r\n",
       RawResponse("200 OK", "GET /1 0 ") + RawResponse("200 OK", "POST /2 1 x") +
           RawResponse("200 OK", "GET /3 0 ")},
      {"NothingFollowsConnectionClose",
       "GET /1 HTTP/1.1\r\n" + kHost + "Connection: close\r\n\r\nGET /2 HTTP/1.1\r\n" + kHost +
           "\r\n",
       RawResponse("200 OK", "GET /1 0 ", kClose)},
      {"Http10Closes", "GET /1 HTTP/1.0\r\n\r\n", RawResponse("200 OK", "GET /1 0 ", kClose)},
      {"Http10MayKeep", "GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
       RawResponse("200 OK", "GET /1 0 ")},
      {"HeadHasNoBody", "HEAD /1 HTTP/1.1\r\n" + kHost + "\r\n",
       "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n"},
      {"ContinueIsSaidBeforeTheBody",
       "POST /1 HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\n",
       "HTTP/1.1 100 Continue\r\n\r\n"},
      {"ContinueIsNotSentWhenTheBodyIsThere",
       "POST /1 HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nab",
       RawResponse("200 OK", "POST /1 2 ab")},
      {"OtherExpectation", "POST /1 HTTP/1.1\r\n" + kHost + "Expect: wonders\r\n\r\n",
       Refusal("417 Expectation Failed", "the expectation \"wonders\" is not known")},
      {"EmptyLinesBefore", "\r\n\r\nGET /1 HTTP/1.1\r\n" + kHost + "\r\n",
       RawResponse("200 OK", "GET /1 0 ")},
      {"Nothing", "", ""},
      {"OnlyHalfARequest", "GET /1 HTTP/1.1\r\nHos", ""},
      {"OnlyHalfABody", "POST /1 HTTP/1.1\r\n" + kHost + "Content-Length: 5\r\n\r\nab", ""},
      {"BinaryNoise", std::string("\x16\x03\x01\x02\x00\x01", 6) + "\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad method")},
      {"NoTarget", "GET HTTP/1.1\r\n" + kHost + "\r\n",
       Refusal("400 Bad Request", not_http + "bad target")},
      {"OtherVersion", "GET / HTTP/3.0\r\n" + kHost + "\r\n",
       Refusal("400 Bad Request", not_http + "bad version")},
      {"BadHeaderName", "GET / HTTP/1.1\r\n" + kHost + "a b: c\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad field")},
      {"ControlCharacterInValue", "GET / HTTP/1.1\r\n" + kHost + "a: \x01\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad value")},
      {"NoHost", "GET / HTTP/1.1\r\n\r\n",
       Refusal("400 Bad Request", "the Host header is missing")},
      {"TwoHosts", "GET / HTTP/1.1\r\n" + kHost + kHost + "\r\n",
       Refusal("400 Bad Request", "there is more than one Host header")},
      {"LengthIsNoNumber", "POST / HTTP/1.1\r\n" + kHost + "Content-Length: -1\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad Content-Length")},
      {"TwoLengths",
       "POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
       Refusal("400 Bad Request", not_http + "multiple Content-Length")},
      {"LengthAndChunks",
       "POST / HTTP/1.1\r\n" + kHost +
           "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
       Refusal("400 Bad Request", not_http + "bad Transfer-Encoding")},
      {"UnknownTransferEncoding",
       "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: gzip\r\n\r\nabc",
       Refusal("501 Not Implemented", "the transfer encoding \"gzip\" is not known")},
      {"BadChunk",
       "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
       Refusal("400 Bad Request", not_http + "bad chunk")},
      {"LongBody", "POST / HTTP/1.1\r\n" + kHost + "Content-Length: 1001\r\n\r\n",
       Refusal("413 Payload Too Large", "the body is longer than 1000 bytes")},
      {"LongBodyIsNotAskedFor",
       "POST / HTTP/1.1\r\n" + kHost + "Expect: 100-continue\r\nContent-Length: 1001\r\n\r\n",
       Refusal("413 Payload Too Large", "the body is longer than 1000 bytes")},
      {"LongChunkedBody",
       "POST / HTTP/1.1\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n300\r\n" +
           std::string(0x300, 'x') + "\r\n300\r\n",
       Refusal("413 Payload Too Large", "the body is longer than 1000 bytes")},
      {"LongHeader", "GET / HTTP/1.1\r\n" + kHost + "a: " + std::string(3000, 'x') + "\r\n\r\n",
       Refusal("431 Request Header Fields Too Large", "the headers are longer than 2000 bytes")},
      {"LongTarget", "GET /" + std::string(3000, 'x') + " HTTP/1.1\r\n" + kHost + "\r\n",
       Refusal("431 Request Header Fields Too Large", "the headers are longer than 2000 bytes")},
      {"LongTrailer",
       "POST / HTTP/1.1\r\n" + kHost +
           "Transfer-Encoding: chunked\r\n\r\n0\r\na: " + std::string(3000, 'x') + "\r\n\r\n",
       Refusal("431 Request Header Fields Too Large", "the headers are longer than 2000 bytes")},
  };
}

class RawRequests : public testing::TestWithParam<RawCase> {};

TEST_P(RawRequests, GetResponses) {
  const auto server = Serve(Echo, {.max_header_bytes = 2000, .max_body_bytes = 1000});
  RawClient client(server->port());
  client.Send(GetParam().sent);
  client.EndSending();
  EXPECT_EQ(WithoutDate(client.ReadAll()), GetParam().want);
}

TEST_P(RawRequests, GetResponsesWhenTheyArriveByteByByte) {
  const auto server = Serve(Echo, {.max_header_bytes = 2000, .max_body_bytes = 1000});
  RawClient client(server->port());
  for (const char c : GetParam().sent) {
    if (!client.Send(std::string_view(&c, 1))) break;
  }
  client.EndSending();
  const std::string got = WithoutDate(client.ReadAll());
  // Byte by byte, the server sends the continuation before the body has arrived.
  if (GetParam().name != std::string("ContinueIsNotSentWhenTheBodyIsThere")) {
    EXPECT_EQ(got, GetParam().want);
  }
}

INSTANTIATE_TEST_SUITE_P(All, RawRequests, testing::ValuesIn(RawCases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
