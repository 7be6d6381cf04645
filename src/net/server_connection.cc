#include "net/server_connection.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "net/http1_session.h"
#include "net/http2_session.h"
#include "net/server_worker.h"

namespace berth::net {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Most requests are small, and most connections are idle; a peer that sends more gets more.
constexpr size_t kFirstRead = 4 << 10;
constexpr size_t kLargeRead = 64 << 10;
// So many turns before other connections have theirs.
constexpr int kMaxTurns = 16;
// For the peer to read the last answer, before what it still sends makes the kernel drop that.
constexpr std::chrono::seconds kGoodbye{2};

// Enough of HTTP/2's preface to know it by; nghttp2 checks the rest.
constexpr std::string_view kHttp2Start = "PRI * HTTP/2.0";

SteadyTime Now() { return std::chrono::steady_clock::now(); }

}  // namespace

ServerConnection::ServerConnection(std::shared_ptr<ServerWorker> worker, tcp::socket socket)
    : worker_(std::move(worker)),
      socket_(std::move(socket)),
      timer_(worker_->context()),
      read_size_(kFirstRead),
      started_(Now()),
      last_write_(started_) {}

asio::io_context& ServerConnection::context() { return worker_->context(); }

void ServerConnection::Start() {
  error_code error;
  socket_.non_blocking(true, error);
  socket_.set_option(tcp::no_delay(true), error);
  const tcp::endpoint remote = socket_.remote_endpoint(error);
  // It may have gone since it was accepted.
  if (error) return Close();
  asio::ip::address address = remote.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  peer_.address = address.to_string();
  peer_.loopback = address.is_loopback();
  const auto& tls = worker_->settings().options.tls;
  peer_.tls = tls != nullptr;
  stream_ =
      tls ? MakeTlsStream(socket_.native_handle(), *tls) : MakePlainStream(socket_.native_handle());
  Pump();
}

void ServerConnection::Close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  session_.reset();
  wakes_.clear();
  timer_.cancel();
  stream_.reset();
  error_code ignored;
  socket_.close(ignored);
  worker_->Remove(*this);
}

void ServerConnection::Drain() {
  draining_ = true;
  if (session_ == nullptr) return Close();
  session_->Drain();
  Pump();
}

void ServerConnection::Deliver(RequestNumber number, Outcome outcome) {
  if (session_ == nullptr) return;
  session_->Deliver(number, std::move(outcome), Now());
  // Whoever answers here may be in the middle of something that another handler must not see.
  if (!pumping_) PumpLater();
}

void ServerConnection::Wake(RequestNumber number) {
  if (session_ == nullptr) return;
  session_->Wake(number);
  Pump();
}

void ServerConnection::WakeAfter(RequestNumber number, std::chrono::milliseconds delay) {
  if (closed_) return;
  wakes_.emplace(Now() + delay, number);
  Wait();
}

void ServerConnection::Handle(RequestNumber number, ServerRequest request) {
  request.peer = peer_;
  worker_->settings().handler(
      std::make_shared<ServerExchange>(weak_from_this(), number, std::move(request)));
}

void ServerConnection::PumpLater() {
  if (std::exchange(pump_posted_, true)) return;
  asio::post(context(), [self = shared_from_this()] {
    self->pump_posted_ = false;
    self->Pump();
  });
}

void ServerConnection::Pump() {
  if (pumping_ || closed_) return;
  pumping_ = true;
  const SteadyTime now = Now();
  bool more = true;
  for (int turn = 0; turn < kMaxTurns && more && !failed_; ++turn) more = Turn(now);
  pumping_ = false;
  if (failed_) return Close();
  if (more) PumpLater();
  Wait();
}

bool ServerConnection::Turn(SteadyTime now) {
  if (!opened_) return Open(now);
  bool moved = ReadSome();
  if (failed_ || goodbye_) return moved;
  moved |= WriteSome(now);
  moved |= Talk(now);
  moved |= WriteSome(now);
  if (session_ != nullptr && session_->finished() && out_.empty()) {
    BeginGoodbye(now);
    moved = true;
  }
  return moved;
}

bool ServerConnection::Open(SteadyTime now) {
  const SocketStream::State state = stream_->Handshake();
  want_write_ = state == SocketStream::State::kWantWrite;
  readable_ = state != SocketStream::State::kWantRead;
  failed_ = state == SocketStream::State::kFailed || state == SocketStream::State::kEnd;
  opened_ = state == SocketStream::State::kDone;
  if (!opened_) return false;
  stream_->Describe(peer_);
  started_ = now;
  return true;
}

bool ServerConnection::ReadSome() {
  const size_t max_input = worker_->settings().options.max_header_bytes + kLargeRead;
  if (!readable_ || peer_ended_ || input_.size() >= max_input) return false;
  const SocketStream::Progress progress = stream_->Read(input_.Prepare(read_size_));
  switch (progress.state) {
    case SocketStream::State::kDone:
      input_.Commit(progress.bytes);
      if (goodbye_) input_.Consume(input_.size());
      readable_ = progress.bytes == read_size_ || stream_->has_buffered();
      if (progress.bytes == read_size_) read_size_ = kLargeRead;
      return true;
    case SocketStream::State::kEnd:
      peer_ended_ = true;
      failed_ = goodbye_ || session_ == nullptr;
      return true;
    case SocketStream::State::kFailed:
      failed_ = true;
      return false;
    default:
      readable_ = false;
      want_write_ = progress.state == SocketStream::State::kWantWrite;
      return false;
  }
}

bool ServerConnection::Talk(SteadyTime now) {
  if (session_ == nullptr && !ChooseSession(now)) return false;
  bool moved = false;
  for (;;) {
    size_t used = 0;
    if (input_.size() > 0 || peer_ended_) {
      used = session_->Receive(input_.view(), now);
      input_.Consume(used);
    }
    if (peer_ended_ && !std::exchange(told_end_, true)) session_->ReceiveEnd();
    const size_t before = out_.size();
    // What the peer has not taken yet comes first.
    if (writable_ && before < ServerSession::kBatchBytes) session_->Produce(out_, now);
    if (used == 0 && out_.size() == before) return moved;
    moved = true;
    if (out_.size() >= ServerSession::kBatchBytes) return true;
  }
}

bool ServerConnection::WriteSome(SteadyTime now) {
  if (!writable_ || out_.empty()) return false;
  const size_t before = out_.size();
  const SocketStream::State state = stream_->Write(out_);
  if (out_.size() < before) last_write_ = now;
  failed_ = state == SocketStream::State::kFailed;
  writable_ = state == SocketStream::State::kDone;
  if (state == SocketStream::State::kWantRead) readable_ = false;
  return out_.size() < before;
}

bool ServerConnection::ChooseSession(SteadyTime now) {
  const ServerOptions& options = worker_->settings().options;
  SessionHost& host = *this;
  bool http2 = stream_->is_http2();
  if (!http2) {
    const std::string_view first = input_.view();
    if (first.empty()) return false;
    const std::string_view compared = first.substr(0, kHttp2Start.size());
    http2 = kHttp2Start.starts_with(compared);
    if (http2 && compared.size() < kHttp2Start.size()) return false;
  }
  if (http2) {
    session_ = std::make_unique<Http2Session>(options, host, now);
  } else {
    session_ = std::make_unique<Http1Session>(options, host, now);
  }
  if (draining_) session_->Drain();
  return true;
}

void ServerConnection::BeginGoodbye(SteadyTime now) {
  session_.reset();
  goodbye_ = true;
  goodbye_until_ = now + kGoodbye;
  input_.Consume(input_.size());
  stream_->SayGoodbye();
  if (peer_ended_) failed_ = true;
}

void ServerConnection::Wait() {
  if (closed_) return;
  const auto ready = [self = shared_from_this()](const error_code& error, bool* waiting) {
    *waiting = false;
    if (!error) self->Ready();
  };
  if (!readable_ && !peer_ended_ && !std::exchange(waiting_read_, true)) {
    socket_.async_wait(tcp::socket::wait_read,
                       [ready, this](const error_code& error) { ready(error, &waiting_read_); });
  }
  if ((!writable_ || want_write_) && !std::exchange(waiting_write_, true)) {
    socket_.async_wait(tcp::socket::wait_write,
                       [ready, this](const error_code& error) { ready(error, &waiting_write_); });
  }
  const SteadyTime until = NextDeadline();
  if (until >= timer_until_) return;
  timer_until_ = until;
  timer_.expires_at(until);
  timer_.async_wait([self = shared_from_this()](const error_code& error) {
    if (!error) self->OnTimer();
  });
}

// Either kind of readiness may be what the other was waiting for: TLS reads in order to write.
void ServerConnection::Ready() {
  readable_ = true;
  writable_ = true;
  want_write_ = false;
  Pump();
}

SteadyTime ServerConnection::NextDeadline() const {
  const ServerOptions& options = worker_->settings().options;
  if (!opened_) return started_ + options.header_timeout;
  if (goodbye_) return goodbye_until_;
  SteadyTime until = SteadyTime::max();
  if (session_ == nullptr) {
    until = started_ + (input_.size() > 0 ? options.header_timeout : options.idle_timeout);
  } else {
    until = session_->deadline().value_or(until);
  }
  if (!out_.empty()) until = std::min(until, last_write_ + options.send_timeout);
  if (!wakes_.empty()) until = std::min(until, wakes_.begin()->first);
  return until;
}

void ServerConnection::OnTimer() {
  if (closed_) return;
  timer_until_ = SteadyTime::max();
  const SteadyTime now = Now();
  while (!wakes_.empty() && wakes_.begin()->first <= now) {
    if (session_ != nullptr) session_->Wake(wakes_.begin()->second);
    wakes_.erase(wakes_.begin());
  }
  const auto& options = worker_->settings().options;
  const bool stuck = !out_.empty() && now >= last_write_ + options.send_timeout;
  if (stuck || (session_ == nullptr && now >= NextDeadline())) return Close();
  if (session_ != nullptr) session_->Expire(now);
  Pump();
}

}  // namespace berth::net
