#include "net/http1_server_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

#include "base/check.h"
#include "net/server_session.h"

namespace berth::net {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using Text = boost::beast::string_view;

constexpr size_t kMaxHeaders = 500;
// Buffers of longer bodies grow as bytes arrive: a length alone must not cost memory.
constexpr size_t kMaxBodyReserve = 64 << 10;

std::string RequestText(Text text) { return {text.data(), text.size()}; }

}  // namespace

// Message adapts Beast's parser: it collects a ServerRequest.
class Http1RequestParser::Message final : public http::basic_parser<true> {
 public:
  Message(size_t max_header_bytes, size_t max_body_bytes, std::shared_ptr<BodyBudget> budget)
      : max_header_bytes_(max_header_bytes),
        max_body_bytes_(max_body_bytes),
        budget_(std::move(budget)) {
    eager(true);
    header_limit(static_cast<uint32_t>(std::min<size_t>(max_header_bytes, 1 << 30)));
    body_limit(max_body_bytes);
  }

  size_t Put(std::string_view bytes) {
    // Before the end of a chunked body at least "0\r\n\r\n" must follow. Beast 1.81 asserts that it
    // is not called again with less.
    constexpr size_t kLastChunk = 5;
    if (is_header_done() && chunked() && bytes.size() < kLastChunk) return 0;
    error_code error;
    const size_t used = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error == http::error::need_more) {
      // Beast does not limit chunk headers and trailers.
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

  // Ends parsing with a problem that Beast does not know.
  void Refuse(int status, std::string text, error_code& error) {
    problem = {status, std::move(text)};
    error = http::error::bad_value;
  }

  void on_request_impl(http::verb, Text method, Text target, int version,
                       error_code& error) override {
    version_ = version;
    request.method = RequestText(method);
    request.target = RequestText(target);
    CountHeader(method.size() + target.size(), error);
  }

  void on_field_impl(http::field field, Text name, Text value, error_code& error) override {
    CountHeader(name.size() + value.size(), error);
    // Trailers are not headers: a proxy that checks headers does not see them.
    if (error || is_header_done()) return;
    if (field == http::field::host && std::exchange(has_host_, true)) {
      return Refuse(400, "there is more than one Host header", error);
    }
    if (field == http::field::transfer_encoding && !boost::beast::iequals(value, "chunked")) {
      return Refuse(
          501, fmt::format("the transfer encoding \"{}\" is not known", RequestText(value)), error);
    }
    request.headers.push_back({RequestText(name), RequestText(value)});
  }

  void on_header_impl(error_code& error) override {
    if (!http10() && !has_host_) return Refuse(400, "the Host header is missing", error);
    if (http10() && chunked()) {
      return Refuse(400, "HTTP/1.0 has no chunked bodies", error);
    }
    request.body.reserve(std::min<size_t>(content_length().value_or(0), kMaxBodyReserve));
  }

  void on_body_init_impl(const boost::optional<uint64_t>&, error_code&) override {}
  void on_chunk_header_impl(uint64_t, Text, error_code&) override {}
  void on_finish_impl(error_code&) override {}
  void on_response_impl(int, Text, int, error_code&) override {}

  size_t on_body_impl(Text body, error_code& error) override {
    if (request.body_share == nullptr) request.body_share = std::make_shared<BodyShare>(budget_);
    if (!request.body_share->Grow(body.size())) {
      Refuse(429, std::string(kTooManyBodies), error);
      return 0;
    }
    request.body.append(body.data(), body.size());
    return body.size();
  }
  size_t on_chunk_body_impl(uint64_t, Text body, error_code& error) override {
    return on_body_impl(body, error);
  }

  // Beast limits only the bytes that it has not used yet; this limits the sum.
  void CountHeader(size_t bytes, error_code& error) {
    constexpr size_t kPunctuation = 4;
    header_bytes_ += bytes + kPunctuation;
    if (header_bytes_ > max_header_bytes_ || request.headers.size() >= kMaxHeaders) {
      error = http::error::header_limit;
    }
  }

  const size_t max_header_bytes_;
  const size_t max_body_bytes_;
  const std::shared_ptr<BodyBudget> budget_;
  size_t header_bytes_ = 0;
  int version_ = 11;
  bool has_host_ = false;
};

Http1RequestParser::Http1RequestParser(size_t max_header_bytes, size_t max_body_bytes,
                                       std::shared_ptr<BodyBudget> budget)
    : max_header_bytes_(max_header_bytes),
      max_body_bytes_(max_body_bytes),
      budget_(std::move(budget)) {}

Http1RequestParser::~Http1RequestParser() = default;

size_t Http1RequestParser::Put(std::string_view bytes) {
  if (message_ == nullptr) {
    message_ = std::make_unique<Message>(max_header_bytes_, max_body_bytes_, budget_);
  }
  CHECK(!done() && !problem());
  return message_->Put(bytes);
}

bool Http1RequestParser::started() const { return message_ != nullptr && message_->got_some(); }

bool Http1RequestParser::head_done() const {
  return message_ != nullptr && message_->is_header_done();
}

bool Http1RequestParser::done() const {
  return message_ != nullptr && message_->is_done() && !message_->problem;
}

const std::optional<Http1RequestParser::Problem>& Http1RequestParser::problem() const {
  static const std::optional<Problem> kNone;
  return message_ != nullptr ? message_->problem : kNone;
}

bool Http1RequestParser::keep_alive() const { return message_->keep_alive(); }

bool Http1RequestParser::http10() const { return message_->http10(); }

const ServerRequest& Http1RequestParser::request() const { return message_->request; }
ServerRequest& Http1RequestParser::request() { return message_->request; }

ServerRequest Http1RequestParser::TakeRequest() {
  CHECK(done());
  ServerRequest request = std::move(message_->request);
  message_.reset();
  return request;
}

void Http1RequestParser::Drop() { message_.reset(); }

Http1ServerSession::Http1ServerSession(const ServerOptions& options, SessionHost& host,
                                       SteadyTime now)
    : options_(options),
      host_(host),
      parser_(options.max_header_bytes, options.max_body_bytes, host.body_budget()),
      entered_(now) {}

void Http1ServerSession::Enter(Phase phase, SteadyTime now) {
  phase_ = phase;
  entered_ = now;
}

size_t Http1ServerSession::Receive(std::string_view bytes, SteadyTime now) {
  if (phase_ > Phase::kBody) return 0;
  size_t used = 0;
  if (phase_ == Phase::kIdle) {
    if (draining_) Enter(Phase::kFinished, now);
    // Some clients end a body with an empty line that is not part of it.
    while (used < bytes.size() && (bytes[used] == '\r' || bytes[used] == '\n')) ++used;
    bytes.remove_prefix(used);
    if (bytes.empty() || phase_ == Phase::kFinished) {
      if (peer_ended_) Enter(Phase::kFinished, now);
      return used;
    }
    Enter(Phase::kHead, now);
  }
  used += parser_.Put(bytes);
  Advance(now);
  if (peer_ended_ && phase_ <= Phase::kBody && used == 0) Enter(Phase::kFinished, now);
  return used;
}

void Http1ServerSession::Advance(SteadyTime now) {
  if (const auto& problem = parser_.problem()) return Refuse(problem->status, problem->text, now);
  if (!parser_.head_done()) return;
  if (phase_ == Phase::kHead) EndHead(now);
  if (phase_ != Phase::kBody || !parser_.done()) return;
  continue_due_ = false;
  keep_alive_ = parser_.keep_alive();
  http10_ = parser_.http10();
  head_only_ = parser_.request().method == "HEAD";
  Enter(Phase::kHandling, now);
  host_.Handle(++number_, parser_.TakeRequest());
}

void Http1ServerSession::EndHead(SteadyTime now) {
  const std::string_view expected = parser_.request().header("Expect");
  if (!expected.empty() && !EqualIgnoringCase(expected, "100-continue")) {
    return Refuse(417, fmt::format("the expectation \"{}\" is not known", expected), now);
  }
  if (!parser_.done()) {
    if (auto refusal = host_.Admit(parser_.request())) return Refuse(*std::move(refusal), now);
  }
  // Not if the body is already arriving, nor to HTTP/1.0 clients.
  continue_due_ =
      !expected.empty() && !parser_.done() && parser_.request().body.empty() && !parser_.http10();
  Enter(Phase::kBody, now);
}

void Http1ServerSession::Refuse(int status, const std::string& text, SteadyTime now) {
  Refuse(ServerResponse::Text(status, "text/plain; charset=utf-8", text + "\n"), now);
}

void Http1ServerSession::Refuse(ServerResponse response, SteadyTime now) {
  keep_alive_ = false;
  continue_due_ = false;
  // Invalidates a late response to the request.
  ++number_;
  outcome_ = {std::move(response), nullptr};
  parser_.Drop();
  Enter(Phase::kResponded, now);
}

void Http1ServerSession::ReceiveEnd() {
  peer_ended_ = true;
  if (phase_ == Phase::kStreaming) {
    source_.reset();
    phase_ = Phase::kFinished;
  }
  if (phase_ == Phase::kIdle) phase_ = Phase::kFinished;
}

void Http1ServerSession::Produce(Outgoing& out, SteadyTime now) {
  if (std::exchange(continue_due_, false)) out.Copy("HTTP/1.1 100 Continue\r\n\r\n");
  if (phase_ == Phase::kResponded) SendOutcome(out, now);
  if (phase_ == Phase::kStreaming) SendStream(out, now);
}

void Http1ServerSession::SendOutcome(Outgoing& out, SteadyTime now) {
  Outcome outcome = std::move(outcome_);
  outcome_ = {};
  const bool may_have_body = MayHaveBody(outcome.response.status);
  if (draining_ || HasToken(FindHeader(outcome.response.headers, "Connection"), "close")) {
    keep_alive_ = false;
  }
  Http1Framing framing;
  if (outcome.source == nullptr) {
    if (may_have_body) framing.content_length = BodySize(outcome.response);
  } else {
    framing.chunked = may_have_body && !http10_;
    if (http10_) keep_alive_ = false;
  }
  framing.close = !keep_alive_;
  head_.clear();
  AppendHttp1Head(outcome.response, framing, head_);
  out.Copy(head_);
  const bool with_body = may_have_body && !head_only_;
  if (outcome.source != nullptr && with_body) {
    if (peer_ended_) return Enter(Phase::kFinished, now);
    source_ = std::move(outcome.source);
    source_ready_ = true;
    chunked_ = framing.chunked;
    return Enter(Phase::kStreaming, now);
  }
  if (with_body) {
    for (Piece& piece : outcome.response.body) out.Share(std::move(piece));
  }
  EndExchange(now);
}

void Http1ServerSession::SendStream(Outgoing& out, SteadyTime now) {
  while (source_ready_ && out.size() < kBatchBytes) {
    pieces_.clear();
    const BodySource::State state = source_->Read(kBatchBytes - out.size(), pieces_);
    size_t size = 0;
    for (const Piece& piece : pieces_) size += piece.bytes.size();
    if (size > 0) {
      if (chunked_) out.Copy(fmt::format("{:x}\r\n", size));
      for (Piece& piece : pieces_) out.Share(std::move(piece));
      if (chunked_) out.Copy("\r\n");
    }
    if (state == BodySource::State::kEnd) {
      if (chunked_) out.Copy("0\r\n\r\n");
      source_.reset();
      pieces_.clear();
      return EndExchange(now);
    }
    source_ready_ = state == BodySource::State::kMore && size > 0;
  }
  pieces_.clear();
}

void Http1ServerSession::EndExchange(SteadyTime now) {
  Enter(keep_alive_ ? Phase::kIdle : Phase::kFinished, now);
}

void Http1ServerSession::Deliver(RequestNumber number, Outcome outcome, SteadyTime now) {
  if (phase_ != Phase::kHandling || number != number_) return;
  outcome_ = std::move(outcome);
  Enter(Phase::kResponded, now);
}

void Http1ServerSession::Wake(RequestNumber number) {
  if (phase_ == Phase::kStreaming && number == number_) source_ready_ = true;
}

std::optional<SteadyTime> Http1ServerSession::deadline() const {
  switch (phase_) {
    case Phase::kIdle:
      return entered_ + options_.idle_timeout;
    case Phase::kHead:
      return entered_ + options_.header_timeout;
    case Phase::kBody:
      return entered_ + options_.body_timeout;
    default:
      return std::nullopt;
  }
}

void Http1ServerSession::Expire(SteadyTime now) {
  const auto limit = deadline();
  if (!limit || now < *limit) return;
  if (phase_ == Phase::kIdle) return Enter(Phase::kFinished, now);
  Refuse(408, phase_ == Phase::kHead ? "the headers took too long" : "the body took too long", now);
}

void Http1ServerSession::Drain() {
  draining_ = true;
  // A request that has begun still gets its response.
  if (phase_ == Phase::kIdle) phase_ = Phase::kFinished;
}

}  // namespace berth::net
