#include "net/http1_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

#include "base/check.h"

namespace berth::net {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using Text = boost::beast::string_view;

constexpr size_t kMaxHeaders = 500;
// A longer body is given room as it comes: a length alone must not cost memory.
constexpr size_t kMaxReserve = 64 << 10;

std::string ToString(Text text) { return {text.data(), text.size()}; }

}  // namespace

// Beast parses; this keeps what it finds.
class Http1Parser::Message final : public http::basic_parser<true> {
 public:
  Message(size_t max_header_bytes, size_t max_body_bytes)
      : max_header_bytes_(max_header_bytes), max_body_bytes_(max_body_bytes) {
    eager(true);
    header_limit(static_cast<uint32_t>(std::min<size_t>(max_header_bytes, 1 << 30)));
    body_limit(max_body_bytes);
  }

  size_t Put(std::string_view bytes) {
    // Until the end of a chunked body at least "0\r\n\r\n" is to come. Beast 1.81 asserts that it
    // is not asked again with less.
    constexpr size_t kLastChunk = 5;
    if (is_header_done() && chunked() && bytes.size() < kLastChunk) return 0;
    error_code error;
    const size_t used = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error == http::error::need_more) {
      // Chunk headers and trailers have no limit of Beast's.
      if (bytes.size() - used > max_header_bytes_) error = http::error::header_limit;
    }
    if (error && error != http::error::need_more && !problem) problem = Describe(error);
    return used;
  }

  bool http10() const { return version_ < 11; }

  ServerRequest request;
  std::optional<Problem> problem;

 private:
  Problem Describe(const error_code& error) const {
    if (error == http::error::header_limit) {
      return {431, fmt::format("the headers are longer than {} bytes", max_header_bytes_)};
    }
    if (error == http::error::body_limit) {
      return {413, fmt::format("the body is longer than {} bytes", max_body_bytes_)};
    }
    return {400, fmt::format("this is not an HTTP/1.1 request: {}", error.message())};
  }

  // Ends the parse with a problem of our own.
  void Refuse(int status, std::string text, error_code& error) {
    problem = {status, std::move(text)};
    error = http::error::bad_value;
  }

  void on_request_impl(http::verb, Text method, Text target, int version,
                       error_code& error) override {
    version_ = version;
    request.method = ToString(method);
    request.target = ToString(target);
    CountHeader(method.size() + target.size(), error);
  }

  void on_field_impl(http::field field, Text name, Text value, error_code& error) override {
    CountHeader(name.size() + value.size(), error);
    // Trailers are not headers: whoever put headers together has not seen them.
    if (error || is_header_done()) return;
    if (field == http::field::host && std::exchange(has_host_, true)) {
      return Refuse(400, "there is more than one Host header", error);
    }
    if (field == http::field::transfer_encoding && !boost::beast::iequals(value, "chunked")) {
      return Refuse(501, fmt::format("the transfer encoding \"{}\" is not known", ToString(value)),
                    error);
    }
    request.headers.push_back({ToString(name), ToString(value)});
  }

  void on_header_impl(error_code& error) override {
    if (!http10() && !has_host_) return Refuse(400, "the Host header is missing", error);
    if (http10() && chunked()) {
      return Refuse(400, "HTTP/1.0 has no chunked bodies", error);
    }
    request.body.reserve(std::min<size_t>(content_length().value_or(0), kMaxReserve));
  }

  void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(uint64_t, Text, error_code&) override {}
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, Text, int, error_code&) override {}

  size_t on_body_impl(Text body, error_code&) override {
    request.body.append(body.data(), body.size());
    return body.size();
  }
  size_t on_chunk_body_impl(uint64_t, Text body, error_code& error) override {
    return on_body_impl(body, error);
  }

  // Beast limits what it has not yet used; this limits the sum.
  void CountHeader(size_t bytes, error_code& error) {
    constexpr size_t kPunctuation = 4;
    header_bytes_ += bytes + kPunctuation;
    if (header_bytes_ > max_header_bytes_ || request.headers.size() >= kMaxHeaders) {
      error = http::error::header_limit;
    }
  }

  const size_t max_header_bytes_;
  const size_t max_body_bytes_;
  size_t header_bytes_ = 0;
  int version_ = 11;
  bool has_host_ = false;
};

Http1Parser::Http1Parser(size_t max_header_bytes, size_t max_body_bytes)
    : max_header_bytes_(max_header_bytes), max_body_bytes_(max_body_bytes) {}

Http1Parser::~Http1Parser() = default;

size_t Http1Parser::Put(std::string_view bytes) {
  if (message_ == nullptr) {
    message_ = std::make_unique<Message>(max_header_bytes_, max_body_bytes_);
  }
  CHECK(!done() && !problem());
  return message_->Put(bytes);
}

bool Http1Parser::started() const { return message_ != nullptr && message_->got_some(); }

bool Http1Parser::head_done() const { return message_ != nullptr && message_->is_header_done(); }

bool Http1Parser::done() const {
  return message_ != nullptr && message_->is_done() && !message_->problem;
}

const std::optional<Http1Parser::Problem>& Http1Parser::problem() const {
  static const std::optional<Problem> kNone;
  return message_ != nullptr ? message_->problem : kNone;
}

bool Http1Parser::keep_alive() const { return message_->keep_alive(); }

bool Http1Parser::http10() const { return message_->http10(); }

const ServerRequest& Http1Parser::request() const { return message_->request; }

ServerRequest Http1Parser::TakeRequest() {
  CHECK(done());
  ServerRequest request = std::move(message_->request);
  message_.reset();
  return request;
}

}  // namespace berth::net
