#include "net/http1_client_session.h"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

#include "base/check.h"

namespace berth::net {

HttpError LossError(const ConnectionLoss& loss, bool started) {
  if (!loss.text.empty()) return {loss.kind, loss.text};
  return {loss.kind, started ? "the server closed the connection before the answer was complete"
                             : "the server closed the connection without an answer"};
}

void Http1ClientSession::Begin(RequestId id, std::shared_ptr<const WireRequest> request,
                               AnswerSink& sink) {
  CHECK(room() > 0);
  id_ = id;
  parser_.emplace(sink, request->method == "HEAD");
  unsent_ = std::move(request);
}

void Http1ClientSession::Abandon(RequestId id) {
  if (idle() || id != id_) return;
  // Its answer may still come, and nobody would know whose it is.
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

size_t Http1ClientSession::Receive(std::string_view bytes, SteadyTime) {
  if (bytes.empty()) return 0;
  if (idle()) {
    // Nobody has asked for it.
    spent_ = true;
    return bytes.size();
  }
  const size_t used = parser_->Put(bytes);
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
  // What is left to send, or to come, is of no use to the next request.
  spent_ |= unsent_ != nullptr || !result;
  unsent_.reset();
  parser_.reset();
  ended_.push_back({.id = id_, .result = std::move(result)});
}

std::vector<EndedRequest> Http1ClientSession::TakeEnded() { return std::exchange(ended_, {}); }

}  // namespace berth::net
