#include "net/client_connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <utility>

#include "base/chrono.h"
#include "net/http1_client_session.h"
#include "net/http2_client_session.h"
#include "net/steady_time.h"

namespace berth::net {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Most responses and events are small; lists are not.
constexpr PolledSocket::ReadSizes kReadSizes{.small = 16 << 10, .large = 256 << 10};
// Turns before other connections run.
constexpr int kMaxTurns = 16;

// Returns the text of an error in lower case, to follow a colon: "connection refused".
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
      socket_(tcp::socket(context), kReadSizes),
      started_(SteadyNow()),
      idle_since_(started_) {}

void ClientConnection::Start() {
  Wait();
  // Immediate failures are reported later, never from within a call by the owner.
  asio::post(socket_.socket().get_executor(), [self = shared_from_this()] {
    if (self->closed_) return;
    self->settings_.dial ? self->Dial() : self->Resolve();
  });
}

void ClientConnection::Close() {
  if (std::exchange(closed_, true)) return;
  resolver_.cancel();
  if (opened_ && !lost_) socket_.stream().SayGoodbye();
  socket_.Close();
}

void ClientConnection::Dial() {
  const int connected = settings_.dial();
  error_code error;
  // The family of the socket does not matter: only its bytes are used.
  if (connected >= 0) socket_.socket().assign(tcp::v4(), connected, error);
  if (connected < 0 || error) {
    return Fail(HttpError::Kind::kUnreachable, "there is no connection to it");
  }
  Connected();
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
  asio::async_connect(socket_.socket(), endpoints,
                      [self = shared_from_this()](const error_code& error, const auto&) {
                        if (self->closed_) return;
                        if (!error) return self->Connected();
                        self->Fail(HttpError::Kind::kUnreachable, TextOf(error));
                      });
}

void ClientConnection::Connected() {
  const int socket = socket_.Prepare();
  if (settings_.origin.https) {
    const auto& name =
        settings_.server_name.empty() ? settings_.origin.host : settings_.server_name;
    socket_.SetStream(MakeTlsStream(
        socket, TlsClientSide{.tls = *settings_.tls, .name = name, .http2 = settings_.http2}));
  } else {
    socket_.SetStream(MakePlainStream(socket));
  }
  Pump();
}

void ClientConnection::Fail(HttpError::Kind kind, std::string text) {
  loss_ = {.kind = kind, .text = std::move(text)};
  lost_ = true;
  if (!pumping_) Report();
}

void ClientConnection::Begin(HttpClient::RequestId id, std::shared_ptr<const WireRequest> request,
                             ResponseSink& sink) {
  session_->Begin(id, std::move(request), sink, SteadyNow());
  // Requests that begin in the same turn of the loop are sent together.
  PumpLater();
}

void ClientConnection::Abandon(HttpClient::RequestId id) {
  if (session_ == nullptr) return;
  session_->Abandon(id);
  if (session_->idle()) idle_since_ = SteadyNow();
  PumpLater();
}

void ClientConnection::Retire() {
  session_->Drain();
  PumpLater();
}

void ClientConnection::Probe() {
  if (closed_ || lost_ || ended_ || session_ == nullptr) return;
  socket_.MakeReadable();
  if (!ReadSome()) return;
  input_.Consume(session_->Receive(input_.view(), SteadyNow()));
  if (ended_) lost_ = true;
  // Pump reports to the owner.
  PumpLater();
}

void ClientConnection::PumpLater() {
  if (closed_ || std::exchange(pump_posted_, true)) return;
  asio::post(socket_.socket().get_executor(), [self = shared_from_this()] {
    self->pump_posted_ = false;
    self->Pump();
  });
}

void ClientConnection::Pump() {
  if (pumping_ || closed_ || !socket_.has_stream()) return;
  pumping_ = true;
  const SteadyTime now = SteadyNow();
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
  const State state = socket_.Handshake();
  if (state == State::kFailed || state == State::kEnd) {
    const StreamProblem problem =
        state == State::kFailed ? socket_.stream().problem() : StreamProblem();
    if (problem.text.empty()) {
      Fail(HttpError::Kind::kUnreachable,
           "TLS: the server closed the connection during the handshake");
    } else {
      Fail(problem.tls ? HttpError::Kind::kTls : HttpError::Kind::kUnreachable, problem.text);
    }
    return false;
  }
  if (state != State::kDone) return false;
  const bool http2 = settings_.origin.https ? socket_.stream().is_http2() : settings_.http2;
  if (http2) {
    session_ =
        std::make_unique<Http2ClientSession>(settings_.ping_after, settings_.ping_timeout, now);
  } else {
    session_ = std::make_unique<Http1ClientSession>();
  }
  return true;
}

bool ClientConnection::ReadSome() {
  if (ended_ || input_.size() >= kMaxResponseHeaderBytes + kReadSizes.large) return false;
  switch (socket_.Read(input_)) {
    case SocketStream::State::kDone:
      received_any_ = true;
      return true;
    case SocketStream::State::kEnd:
      ended_ = true;
      if (!write_failed_) loss_.clean = true;
      return true;
    case SocketStream::State::kFailed: {
      ended_ = true;
      const StreamProblem problem = socket_.stream().problem();
      // The error of the write is more specific, unless the server sent a TLS alert.
      if (!write_failed_ || problem.tls) loss_ = LossOf(problem);
      return true;
    }
    default:
      return false;
  }
}

ConnectionLoss ClientConnection::LossOf(const StreamProblem& problem) const {
  // With TLS 1.3 a server rejects the client's certificate only after the handshake.
  const bool refused = problem.tls && !received_any_;
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
    if (socket_.writable() && out_.empty() && !write_failed_ && !ended_) session_->Produce(out_);
    if (used == 0 || !out_.empty()) return moved || !out_.empty();
  }
}

bool ClientConnection::WriteSome() {
  if (out_.empty()) return false;
  const size_t before = out_.size();
  const SocketStream::State state = socket_.Write(out_);
  if (state != SocketStream::State::kFailed && state != SocketStream::State::kEnd) {
    return out_.size() < before;
  }
  // A server that does not read the whole request may already have responded.
  write_failed_ = true;
  if (!ended_) loss_ = LossOf(socket_.stream().problem());
  out_.Consume(out_.size());
  socket_.MakeWritable();
  socket_.MakeReadable();
  return true;
}

void ClientConnection::Report() {
  const auto self = shared_from_this();
  const auto owner = owner_.lock();
  if (owner == nullptr) return Close();
  if (session_ != nullptr) {
    auto ended = session_->TakeEnded();
    if (!ended.empty()) {
      // The rest of that request would precede the next one.
      if (!session_->multiplexes() && !out_.empty()) session_->Drain();
      if (session_->idle()) idle_since_ = SteadyNow();
    }
    const bool capacity = !lost_ && session_->capacity() > 0;
    opened_ |= capacity;
    const bool news = capacity && !had_capacity_;
    had_capacity_ = capacity;
    if (!ended.empty()) owner->OnEnded(*this, std::move(ended));
    if (news && !closed_) owner->OnCapacity(*this);
    if (!closed_) had_capacity_ = capacity && session_->capacity() > 0;
  }
  if (closed_) return;
  const bool finished =
      session_ != nullptr && session_->finished() && (out_.empty() || !socket_.writable());
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
  if (socket_.has_stream()) socket_.WaitUntilReady(shared_from_this(), !ended_);
  socket_.WaitUntil(NextDeadline(), shared_from_this());
}

SteadyTime ClientConnection::NextDeadline() const {
  if (!opened_) {
    const bool limited = settings_.connect_timeout > Duration();
    return limited ? started_ + ToChrono(settings_.connect_timeout) : SteadyTime::max();
  }
  if (session_->idle()) return idle_since_ + ToChrono(settings_.idle_limit);
  return session_->deadline().value_or(SteadyTime::max());
}

void ClientConnection::OnTime() {
  if (closed_) return;
  const SteadyTime now = SteadyNow();
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
