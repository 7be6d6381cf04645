#include "net/server_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/beast/http/status.hpp>
#include <chrono>
#include <ctime>
#include <iterator>

namespace berth::net {

namespace {

constexpr std::array<std::string_view, 7> kServerHeaders = {
    "Connection",       "Content-Length",    "Date",   "Keep-Alive",
    "Proxy-Connection", "Transfer-Encoding", "Upgrade"};

}  // namespace

ServerResponse ServerResponse::Text(int status, std::string content_type, std::string body) {
  ServerResponse response;
  response.status = status;
  response.headers.push_back({"Content-Type", std::move(content_type)});
  const auto owner = std::make_shared<const std::string>(std::move(body));
  response.body.push_back({owner, *owner});
  return response;
}

bool MayHaveBody(int status) { return status >= 200 && status != 204 && status != 304; }

size_t BodySize(const ServerResponse& response) {
  size_t size = 0;
  for (const Piece& piece : response.body) size += piece.bytes.size();
  return size;
}

bool IsSendable(const HttpHeader& header) {
  if (!IsToken(header.name) || !IsHeaderValue(header.value)) return false;
  return std::ranges::none_of(
      kServerHeaders, [&](std::string_view own) { return EqualIgnoringCase(header.name, own); });
}

std::string_view HttpDate() {
  thread_local std::time_t second = 0;
  thread_local std::array<char, 32> text;
  thread_local size_t size = 0;
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  if (now != second || size == 0) {
    second = now;
    std::tm parts{};
    gmtime_r(&now, &parts);
    size = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  }
  return {text.data(), size};
}

void AppendHttp1Head(const ServerResponse& response, const Http1Framing& framing,
                     std::string& out) {
  const auto reason = boost::beast::http::obsolete_reason(
      boost::beast::http::int_to_status(static_cast<unsigned>(response.status)));
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\n", response.status,
                 std::string_view(reason.data(), reason.size()));
  for (const HttpHeader& header : response.headers) {
    if (!IsSendable(header)) continue;
    out.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  out.append("Date: ").append(HttpDate()).append("\r\n");
  if (framing.content_length) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", *framing.content_length);
  }
  if (framing.chunked) out.append("Transfer-Encoding: chunked\r\n");
  if (framing.close) out.append("Connection: close\r\n");
  out.append("\r\n");
}

}  // namespace berth::net
