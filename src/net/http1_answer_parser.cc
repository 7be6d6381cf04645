#include "net/http1_answer_parser.h"

#include <fmt/format.h>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <optional>
#include <utility>

#include "base/check.h"

namespace berth::net {

namespace {

namespace http = boost::beast::http;
using boost::system::error_code;
using Text = boost::beast::string_view;

constexpr int kFirstStatus = 100;
constexpr int kSwitchingProtocols = 101;

std::string ToString(Text text) { return {text.data(), text.size()}; }

}  // namespace

// Beast parses; this passes on what it finds.
class Http1AnswerParser::Message final : public http::basic_parser<false> {
 public:
  Message(AnswerSink& sink, bool head_only) : sink_(sink) {
    eager(true);
    skip(head_only);
    header_limit(kMaxAnswerHeaderBytes);
    // The sink has limits of its own.
    body_limit(boost::none);
  }

  size_t Put(std::string_view bytes) {
    // Between chunks at least "0\r\n\r\n" is to come. Beast 1.81 asserts that it is not asked again
    // with less. Within a chunk nothing is held back.
    constexpr size_t kLastChunk = 5;
    if (is_header_done() && chunked() && chunk_left_ == 0 && bytes.size() < kLastChunk) return 0;
    error_code error;
    const size_t used = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
    if (error == http::error::need_more) {
      // Chunk headers and trailers have no limit of Beast's.
      if (bytes.size() - used > kMaxAnswerHeaderBytes) error = http::error::header_limit;
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
                                kMaxAnswerHeaderBytes)
                  : fmt::format("this is not an HTTP/1.1 answer: {}", error.message());
  }

  void Want(bool more, error_code& error) {
    if (more) return;
    refused_ = true;
    error = http::error::body_limit;
  }

  void on_response_impl(int status, Text, int, error_code& error) override {
    status_ = status;
    // Less would be neither an announcement nor an answer.
    if (status < kFirstStatus) error = http::error::bad_status;
  }

  void on_field_impl(http::field, Text name, Text value, error_code& error) override {
    // Beast limits what it has not yet used; this limits the sum.
    constexpr size_t kPunctuation = 4;
    header_bytes_ += name.size() + value.size() + kPunctuation;
    if (header_bytes_ > kMaxAnswerHeaderBytes) {
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

  AnswerSink& sink_;
  std::vector<HttpHeader> headers_;
  size_t header_bytes_ = 0;
  uint64_t chunk_left_ = 0;
  int status_ = 0;
  bool refused_ = false;
};

Http1AnswerParser::Http1AnswerParser(AnswerSink& sink, bool head_only)
    : sink_(sink), head_only_(head_only), message_(std::make_unique<Message>(sink, head_only)) {}

Http1AnswerParser::~Http1AnswerParser() = default;

size_t Http1AnswerParser::Put(std::string_view bytes) {
  CHECK(!ended());
  const size_t used = message_->Put(bytes);
  started_ |= !bytes.empty();
  if (done() && message_->only_announces()) {
    message_ = std::make_unique<Message>(sink_, head_only_);
  }
  return used;
}

void Http1AnswerParser::PutEnd() {
  CHECK(!ended());
  if (message_->got_some()) message_->PutEnd();
}

bool Http1AnswerParser::started() const { return started_; }

bool Http1AnswerParser::done() const { return message_->is_done() && !message_->failed; }

bool Http1AnswerParser::failed() const { return message_->failed; }

const std::string& Http1AnswerParser::problem() const { return message_->problem; }

bool Http1AnswerParser::keep_alive() const { return message_->reusable(); }

}  // namespace berth::net
