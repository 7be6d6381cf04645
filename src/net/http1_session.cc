#include "net/http1_session.h"

#include <fmt/format.h>

#include <utility>

#include "net/response_head.h"

namespace berth::net {

Http1Session::Http1Session(const ServerOptions& options, SessionHost& host, SteadyTime now)
    : options_(options),
      host_(host),
      parser_(options.max_header_bytes, options.max_body_bytes),
      entered_(now) {}

void Http1Session::Enter(Phase phase, SteadyTime now) {
  phase_ = phase;
  entered_ = now;
}

size_t Http1Session::Receive(std::string_view bytes, SteadyTime now) {
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

void Http1Session::Advance(SteadyTime now) {
  if (const auto& problem = parser_.problem()) return Refuse(problem->status, problem->text, now);
  if (!parser_.head_done()) return;
  if (phase_ == Phase::kHead) {
    const std::string_view expected = parser_.request().header("Expect");
    if (!expected.empty() && !EqualIgnoringCase(expected, "100-continue")) {
      return Refuse(417, fmt::format("the expectation \"{}\" is not known", expected), now);
    }
    // Not for a body that comes unasked, or to a peer that does not know of it.
    continue_due_ =
        !expected.empty() && !parser_.done() && parser_.request().body.empty() && !parser_.http10();
    Enter(Phase::kBody, now);
  }
  if (!parser_.done()) return;
  continue_due_ = false;
  keep_alive_ = parser_.keep_alive();
  http10_ = parser_.http10();
  head_only_ = parser_.request().method == "HEAD";
  Enter(Phase::kHandling, now);
  host_.Handle(++number_, parser_.TakeRequest());
}

void Http1Session::Refuse(int status, const std::string& text, SteadyTime now) {
  keep_alive_ = false;
  continue_due_ = false;
  // A late answer to the request, if there was one, is for nobody.
  ++number_;
  outcome_ = {ServerAnswer::Text(status, "text/plain; charset=utf-8", text + "\n"), nullptr};
  Enter(Phase::kAnswered, now);
}

void Http1Session::ReceiveEnd() {
  peer_ended_ = true;
  if (phase_ == Phase::kStreaming) {
    source_.reset();
    phase_ = Phase::kFinished;
  }
  if (phase_ == Phase::kIdle) phase_ = Phase::kFinished;
}

void Http1Session::Produce(Outgoing& out, SteadyTime now) {
  if (std::exchange(continue_due_, false)) out.Copy("HTTP/1.1 100 Continue\r\n\r\n");
  if (phase_ == Phase::kAnswered) SendOutcome(out, now);
  if (phase_ == Phase::kStreaming) SendStream(out, now);
}

void Http1Session::SendOutcome(Outgoing& out, SteadyTime now) {
  Outcome outcome = std::move(outcome_);
  outcome_ = {};
  const bool may_have_body = MayHaveBody(outcome.answer.status);
  if (draining_ || HasToken(FindHeader(outcome.answer.headers, "Connection"), "close")) {
    keep_alive_ = false;
  }
  Http1Framing framing;
  if (outcome.source == nullptr) {
    if (may_have_body) framing.content_length = BodySize(outcome.answer);
  } else {
    framing.chunked = may_have_body && !http10_;
    if (http10_) keep_alive_ = false;
  }
  framing.close = !keep_alive_;
  head_.clear();
  AppendHttp1Head(outcome.answer, framing, head_);
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
    for (Piece& piece : outcome.answer.body) out.Share(std::move(piece));
  }
  EndExchange(now);
}

void Http1Session::SendStream(Outgoing& out, SteadyTime now) {
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

void Http1Session::EndExchange(SteadyTime now) {
  Enter(keep_alive_ ? Phase::kIdle : Phase::kFinished, now);
}

void Http1Session::Deliver(RequestNumber number, Outcome outcome, SteadyTime now) {
  if (phase_ != Phase::kHandling || number != number_) return;
  outcome_ = std::move(outcome);
  Enter(Phase::kAnswered, now);
}

void Http1Session::Wake(RequestNumber number) {
  if (phase_ == Phase::kStreaming && number == number_) source_ready_ = true;
}

std::optional<SteadyTime> Http1Session::deadline() const {
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

void Http1Session::Expire(SteadyTime now) {
  const auto limit = deadline();
  if (!limit || now < *limit) return;
  if (phase_ == Phase::kIdle) return Enter(Phase::kFinished, now);
  Refuse(408, phase_ == Phase::kHead ? "the headers took too long" : "the body took too long", now);
}

void Http1Session::Drain() {
  draining_ = true;
  // A peer that has begun a request gets its answer.
  if (phase_ == Phase::kIdle) phase_ = Phase::kFinished;
}

}  // namespace berth::net
