#include "net/client_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <utility>

#include "net/duration_text.h"
#include "net/http1_client_session.h"
#include "net/http2_client_session.h"

namespace berth::net {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr size_t kFirstRead = 16 << 10;
constexpr size_t kLargeRead = 256 << 10;
// So many turns before others have theirs.
constexpr int kMaxTurns = 16;

SteadyTime Now() { return std::chrono::steady_clock::now(); }

std::chrono::nanoseconds Nanos(Duration duration) {
  return std::chrono::nanoseconds(duration.nanos);
}

// "connection refused": what follows a colon is in lower case.
std::string TextOf(const error_code& error) {
  std::string text = error.message();
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') {
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

}  // namespace

ClientConnection::ClientConnection(asio::io_context& context, ConnectionSettings settings,
                                   std::weak_ptr<ConnectionOwner> owner)
    : settings_(std::move(settings)),
      owner_(std::move(owner)),
      resolver_(context),
      socket_(context),
      timer_(context),
      read_size_(kFirstRead),
      started_(Now()),
      idle_since_(started_) {}

void ClientConnection::Start() {
  Wait();
  // What fails at once is told later.
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    if (!self->closed_) self->Resolve();
  });
}

void ClientConnection::Close() {
  if (std::exchange(closed_, true)) return;
  resolver_.cancel();
  timer_.cancel();
  if (opened_ && !lost_) stream_->SayGoodbye();
  stream_.reset();
  error_code ignored;
  socket_.close(ignored);
}

void ClientConnection::Resolve() {
  const std::string port = std::to_string(settings_.origin.port);
  error_code not_address;
  const auto address = asio::ip::make_address(settings_.origin.host, not_address);
  if (!not_address) {
    const tcp::endpoint endpoint(address, settings_.origin.port);
    return Connect(tcp::resolver::results_type::create(endpoint, settings_.origin.host, port));
  }
  resolver_.async_resolve(
      settings_.origin.host, port, tcp::resolver::numeric_service,
      [self = shared_from_this()](const error_code& error,
                                  const tcp::resolver::results_type& found) {
        if (self->closed_) return;
        if (!error) return self->Connect(found);
        self->Fail(HttpError::Kind::kUnreachable,
                   fmt::format("host {}: {}", self->settings_.origin.host, TextOf(error)));
      });
}

void ClientConnection::Connect(const tcp::resolver::results_type& endpoints) {
  asio::async_connect(socket_, endpoints,
                      [self = shared_from_this()](const error_code& error, const auto&) {
                        if (self->closed_) return;
                        if (!error) return self->Connected();
                        self->Fail(HttpError::Kind::kUnreachable, TextOf(error));
                      });
}

void ClientConnection::Connected() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
  const int socket = socket_.native_handle();
  if (settings_.origin.https) {
    const auto& name =
        settings_.server_name.empty() ? settings_.origin.host : settings_.server_name;
    stream_ = MakeTlsStream(
        socket, TlsClientSide{.tls = *settings_.tls, .name = name, .http2 = settings_.http2});
  } else {
    stream_ = MakePlainStream(socket);
  }
  Pump();
}

void ClientConnection::Fail(HttpError::Kind kind, std::string text) {
  loss_ = {.kind = kind, .text = std::move(text)};
  lost_ = true;
  if (!pumping_) Report();
}

void ClientConnection::Begin(HttpClient::RequestId id, std::shared_ptr<const WireRequest> request,
                             AnswerSink& sink) {
  session_->Begin(id, std::move(request), sink);
  // Others that begin in the same turn of the loop go out together.
  PumpLater();
}

void ClientConnection::Abandon(HttpClient::RequestId id) {
  if (session_ == nullptr) return;
  session_->Abandon(id);
  if (session_->idle()) idle_since_ = Now();
  PumpLater();
}

void ClientConnection::Retire() {
  session_->Drain();
  PumpLater();
}

void ClientConnection::Probe() {
  if (closed_ || lost_ || ended_ || session_ == nullptr) return;
  readable_ = true;
  if (!ReadSome()) return;
  input_.Consume(session_->Receive(input_.view(), Now()));
  if (ended_) lost_ = true;
  // Which tells the owner.
  PumpLater();
}

void ClientConnection::PumpLater() {
  if (closed_ || std::exchange(pump_posted_, true)) return;
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->pump_posted_ = false;
    self->Pump();
  });
}

void ClientConnection::Pump() {
  if (pumping_ || closed_ || stream_ == nullptr) return;
  pumping_ = true;
  const SteadyTime now = Now();
  bool more = true;
  for (int turn = 0; turn < kMaxTurns && more && !lost_; ++turn) more = Turn(now);
  pumping_ = false;
  Report();
  if (closed_) return;
  if (more) PumpLater();
  Wait();
}

bool ClientConnection::Turn(SteadyTime now) {
  if (session_ == nullptr) return Handshake(now);
  bool moved = ReadSome();
  moved |= Talk(now);
  moved |= WriteSome();
  return moved;
}

bool ClientConnection::Handshake(SteadyTime now) {
  using State = SocketStream::State;
  const State state = stream_->Handshake();
  want_write_ = state == State::kWantWrite;
  readable_ = state != State::kWantRead;
  if (state == State::kFailed || state == State::kEnd) {
    const StreamProblem problem = state == State::kFailed ? stream_->problem() : StreamProblem();
    if (problem.text.empty()) {
      Fail(HttpError::Kind::kUnreachable,
           "TLS: the server closed the connection during the handshake");
    } else {
      Fail(problem.tls ? HttpError::Kind::kTls : HttpError::Kind::kUnreachable, problem.text);
    }
    return false;
  }
  if (state != State::kDone) return false;
  const bool http2 = settings_.origin.https ? stream_->is_http2() : settings_.http2;
  if (http2) {
    session_ =
        std::make_unique<Http2ClientSession>(settings_.ping_after, settings_.ping_timeout, now);
  } else {
    session_ = std::make_unique<Http1ClientSession>();
  }
  return true;
}

bool ClientConnection::ReadSome() {
  if (!readable_ || ended_ || input_.size() >= kMaxAnswerHeaderBytes + kLargeRead) return false;
  const SocketStream::Progress progress = stream_->Read(input_.Prepare(read_size_));
  switch (progress.state) {
    case SocketStream::State::kDone:
      input_.Commit(progress.bytes);
      heard_ = true;
      readable_ = progress.bytes == read_size_ || stream_->has_buffered();
      // Most answers and events are small; a server that sends more is read from in larger pieces.
      read_size_ = progress.bytes == read_size_ ? kLargeRead : kFirstRead;
      return true;
    case SocketStream::State::kEnd:
      ended_ = true;
      if (!write_failed_) loss_.clean = true;
      return true;
    case SocketStream::State::kFailed:
      ended_ = true;
      // What cut the request off tells more, unless the server says so itself.
      if (!write_failed_ || stream_->problem().tls) loss_ = LossOf(stream_->problem());
      return true;
    default:
      readable_ = false;
      want_write_ = progress.state == SocketStream::State::kWantWrite;
      return false;
  }
}

ConnectionLoss ClientConnection::LossOf(const StreamProblem& problem) const {
  // With TLS 1.3 a server refuses the client's certificate only after the handshake.
  const bool refused = problem.tls && !heard_;
  return {.kind = refused ? HttpError::Kind::kTls : HttpError::Kind::kBroken, .text = problem.text};
}

bool ClientConnection::Talk(SteadyTime now) {
  bool moved = false;
  for (;;) {
    const size_t used = session_->Receive(input_.view(), now);
    input_.Consume(used);
    moved |= used > 0;
    if (ended_ && used == 0) {
      session_->ReceiveEnd(loss_);
      lost_ = true;
      return false;
    }
    if (writable_ && out_.empty() && !write_failed_ && !ended_) session_->Produce(out_);
    if (used == 0 || !out_.empty()) return moved || !out_.empty();
  }
}

bool ClientConnection::WriteSome() {
  if (!writable_ || out_.empty()) return false;
  const size_t before = out_.size();
  const SocketStream::State state = stream_->Write(out_);
  const bool moved = out_.size() < before;
  writable_ = state == SocketStream::State::kDone;
  if (state == SocketStream::State::kWantRead) readable_ = false;
  if (state != SocketStream::State::kFailed && state != SocketStream::State::kEnd) return moved;
  // A server that does not want to read all may have answered before.
  write_failed_ = true;
  writable_ = true;
  if (!ended_) loss_ = LossOf(stream_->problem());
  out_.Consume(out_.size());
  readable_ = true;
  return true;
}

void ClientConnection::Report() {
  const auto self = shared_from_this();
  const auto owner = owner_.lock();
  if (owner == nullptr) return Close();
  if (session_ != nullptr) {
    auto ended = session_->TakeEnded();
    if (!ended.empty()) {
      // The rest of that request would stand before the next.
      if (!session_->multiplexes() && !out_.empty()) session_->Drain();
      if (session_->idle()) idle_since_ = Now();
    }
    const bool room = !lost_ && session_->room() > 0;
    opened_ |= room;
    const bool news = room && !had_room_;
    had_room_ = room;
    if (!ended.empty()) owner->OnEnded(*this, std::move(ended));
    if (news && !closed_) owner->OnRoom(*this);
    if (!closed_) had_room_ = room && session_->room() > 0;
  }
  if (closed_) return;
  const bool finished = session_ != nullptr && session_->finished() && (out_.empty() || !writable_);
  if (!lost_ && !finished) return;
  if (!lost_) loss_.text = session_->problem();
  Close();
  lost_ = true;
  HttpError why = LossError(loss_, false);
  if (!opened_ && why.kind == HttpError::Kind::kBroken) why.kind = HttpError::Kind::kUnreachable;
  owner->OnLost(*this, why);
}

void ClientConnection::Wait() {
  if (closed_) return;
  const auto ready = [self = shared_from_this()](const error_code& error, bool* waiting) {
    *waiting = false;
    if (!error) self->Ready();
  };
  if (stream_ != nullptr && !readable_ && !ended_ && !std::exchange(waiting_read_, true)) {
    socket_.async_wait(tcp::socket::wait_read,
                       [ready, this](const error_code& error) { ready(error, &waiting_read_); });
  }
  if (stream_ != nullptr && (!writable_ || want_write_) && !std::exchange(waiting_write_, true)) {
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
void ClientConnection::Ready() {
  readable_ = true;
  writable_ = true;
  want_write_ = false;
  Pump();
}

SteadyTime ClientConnection::NextDeadline() const {
  if (!opened_) {
    const bool limited = settings_.connect_timeout > Duration();
    return limited ? started_ + Nanos(settings_.connect_timeout) : SteadyTime::max();
  }
  if (session_->idle()) return idle_since_ + Nanos(settings_.idle_limit);
  return session_->deadline().value_or(SteadyTime::max());
}

void ClientConnection::OnTimer() {
  timer_until_ = SteadyTime::max();
  if (closed_) return;
  const SteadyTime now = Now();
  if (!opened_ && now >= NextDeadline()) {
    return Fail(HttpError::Kind::kUnreachable,
                "no connection within " + ToText(settings_.connect_timeout));
  }
  if (opened_ && session_->idle() && now >= NextDeadline()) session_->Drain();
  if (opened_) session_->Expire(now);
  Pump();
  Wait();
}

}  // namespace berth::net
