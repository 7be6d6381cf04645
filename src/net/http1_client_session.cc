#include "net/http1_client_session.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/chrono.h"

namespace berth::net {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using Text = boost::beast::string_view;

constexpr int kFirstStatus = 100;
constexpr int kSwitchingProtocols = 101;

std::string ToString(Text text) { return {text.data(), text.size()}; }

}  // namespace

// Message adapts Beast's parser to a ResponseSink.
class Http1ResponseParser::Message final : public http::basic_parser<false> {
 public:
  Message(ResponseSink& sink, bool head_only) : sink_(sink) {
    eager(true);
    skip(head_only);
    header_limit(kMaxResponseHeaderBytes);
    // The sink enforces its own limit.
    body_limit(boost::none);
  }

  size_t Put(std::string_view bytes) {
    // Between chunks at least "0\r\n\r\n" must follow. Beast 1.81 asserts that it is not called
    // again with less. Within a chunk nothing is held back.
    constexpr size_t kLastChunk = 5;
    if (is_header_done() && chunked() && chunk_left_ == 0 && bytes.size() < kLastChunk) return 0;
    error_code error;
    const size_t used = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error == http::error::need_more) {
      // Beast does not limit chunk headers and trailers.
      if (bytes.size() - used > kMaxResponseHeaderBytes) error = http::error::header_limit;
    }
    if (error && error != http::error::need_more) Fail(error);
    return used;
  }

  void PutEnd() {
    error_code error;
    put_eof(error);
    if (error) Fail(error);
  }

  bool only_announces() const { return status_ < 200 && status_ != kSwitchingProtocols; }
  bool reusable() const { return keep_alive() && status_ != kSwitchingProtocols; }

  bool failed = false;
  std::string problem;

 private:
  void Fail(const error_code& error) {
    failed = true;
    if (refused_) return;
    problem = error == http::error::header_limit
                  ? fmt::format("the headers of the answer are longer than {} bytes",
                                kMaxResponseHeaderBytes)
                  : fmt::format("this is not an HTTP/1.1 answer: {}", error.message());
  }

  void Want(bool more, error_code& error) {
    if (more) return;
    refused_ = true;
    error = http::error::body_limit;
  }

  void on_response_impl(int status, Text, int, error_code& error) override {
    status_ = status;
    // Lower values are neither informational nor final.
    if (status < kFirstStatus) error = http::error::bad_status;
  }

  void on_field_impl(http::field, Text name, Text value, error_code& error) override {
    // Beast limits only the bytes that it has not used yet; this limits the sum.
    constexpr size_t kPunctuation = 4;
    header_bytes_ += name.size() + value.size() + kPunctuation;
    if (header_bytes_ > kMaxResponseHeaderBytes) {
      error = http::error::header_limit;
      return;
    }
    // Trailers are not headers.
    if (!is_header_done()) headers_.push_back({ToString(name), ToString(value)});
  }

  void on_header_impl(error_code& error) override {
    if (!only_announces()) Want(sink_.Head(status_, std::move(headers_)), error);
  }

  void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(uint64_t size, Text, error_code&) override { chunk_left_ = size; }
  void on_finish_impl(error_code&) override {}
  void on_request_impl(http::verb, Text, Text, int, error_code&) override {}

  size_t on_body_impl(Text body, error_code& error) override {
    Want(sink_.Data({body.data(), body.size()}), error);
    return body.size();
  }
  size_t on_chunk_body_impl(uint64_t, Text body, error_code& error) override {
    chunk_left_ -= body.size();
    return on_body_impl(body, error);
  }

  ResponseSink& sink_;
  std::vector<HttpHeader> headers_;
  size_t header_bytes_ = 0;
  uint64_t chunk_left_ = 0;
  int status_ = 0;
  bool refused_ = false;
};

Http1ResponseParser::Http1ResponseParser(ResponseSink& sink, bool head_only)
    : sink_(sink), head_only_(head_only), message_(std::make_unique<Message>(sink, head_only)) {}

Http1ResponseParser::~Http1ResponseParser() = default;

size_t Http1ResponseParser::Put(std::string_view bytes) {
  CHECK(!ended());
  const size_t used = message_->Put(bytes);
  started_ |= !bytes.empty();
  if (done() && message_->only_announces()) {
    message_ = std::make_unique<Message>(sink_, head_only_);
  }
  return used;
}

void Http1ResponseParser::PutEnd() {
  CHECK(!ended());
  if (message_->got_some()) message_->PutEnd();
}

bool Http1ResponseParser::started() const { return started_; }

bool Http1ResponseParser::done() const { return message_->is_done() && !message_->failed; }

bool Http1ResponseParser::failed() const { return message_->failed; }

const std::string& Http1ResponseParser::problem() const { return message_->problem; }

bool Http1ResponseParser::keep_alive() const { return message_->reusable(); }

HttpError LossError(const ConnectionLoss& loss, bool started) {
  if (!loss.text.empty()) return {loss.kind, loss.text};
  return {loss.kind, started ? "the server closed the connection before the answer was complete"
                             : "the server closed the connection without an answer"};
}

void Http1ClientSession::Begin(RequestId id, std::shared_ptr<const WireRequest> request,
                               ResponseSink& sink, SteadyTime now) {
  CHECK(capacity() > 0);
  id_ = id;
  silence_limit_ = request->silence_limit;
  unused_ = 0;
  last_received_ = now;
  parser_.emplace(sink, request->method == "HEAD");
  unsent_ = std::move(request);
}

void Http1ClientSession::Abandon(RequestId id) {
  if (idle() || id != id_) return;
  // The abandoned response may still arrive and must not be taken for that of another request.
  spent_ = true;
  parser_.reset();
  unsent_.reset();
}

void Http1ClientSession::Produce(Outgoing& out) {
  if (unsent_ == nullptr) return;
  const WireRequest& request = *unsent_;
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", request.method,
                                 request.url.target, request.url.authority());
  for (const HttpHeader& header : request.headers) {
    head.append(header.name).append(": ").append(header.value).append("\r\n");
  }
  if (request.has_length()) {
    fmt::format_to(std::back_inserter(head), "Content-Length: {}\r\n", request.body.size());
  }
  out.Copy(head.append("\r\n"));
  if (!request.body.empty()) out.Share({unsent_, request.body});
  unsent_.reset();
}

size_t Http1ClientSession::Receive(std::string_view bytes, SteadyTime now) {
  if (bytes.empty()) return 0;
  // Bytes that were passed before show nothing.
  if (bytes.size() > unused_) last_received_ = now;
  unused_ = 0;
  if (idle()) {
    // No request is pending.
    spent_ = true;
    return bytes.size();
  }
  const size_t used = parser_->Put(bytes);
  unused_ = bytes.size() - used;
  if (parser_->failed()) {
    End(std::unexpected(HttpError{HttpError::Kind::kBroken, parser_->problem()}));
  } else if (parser_->done()) {
    spent_ |= !parser_->keep_alive();
    End({});
  }
  return used;
}

void Http1ClientSession::ReceiveEnd(const ConnectionLoss& loss) {
  spent_ = true;
  if (idle()) return;
  if (loss.clean) parser_->PutEnd();
  if (parser_->done()) return End({});
  End(std::unexpected(LossError(loss, parser_->started())));
}

void Http1ClientSession::End(HttpResult<void> result) {
  // Unsent or unread bytes of this request would corrupt the next one.
  spent_ |= unsent_ != nullptr || !result;
  unsent_.reset();
  parser_.reset();
  ended_.push_back({.id = id_, .result = std::move(result)});
}

std::optional<SteadyTime> Http1ClientSession::deadline() const {
  if (idle() || silence_limit_ <= Duration()) return std::nullopt;
  return last_received_ + ToChrono(silence_limit_);
}

void Http1ClientSession::Expire(SteadyTime now) {
  const auto limit = deadline();
  if (!limit || now < *limit) return;
  End(std::unexpected(
      HttpError{HttpError::Kind::kTimeout, "the server was silent for " + ToText(silence_limit_)}));
}

std::vector<EndedRequest> Http1ClientSession::TakeEnded() { return std::exchange(ended_, {}); }

}  // namespace berth::net
