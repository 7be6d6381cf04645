#include "net/server_connection.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/check.h"
#include "net/gzip.h"
#include "net/http1_server_session.h"
#include "net/http2_server_session.h"
#include "net/server_worker.h"

namespace berth::net {

namespace asio = boost::asio;

ServerExchange::ServerExchange(std::weak_ptr<ExchangePort> port, RequestNumber number,
                               ServerRequest request)
    : port_(std::move(port)), number_(number), request_(std::move(request)) {}

ServerExchange::~ServerExchange() {
  if (responded_) return;
  Deliver({ServerResponse::Text(500, "text/plain; charset=utf-8", "the request was not answered\n"),
           nullptr});
}

void ServerExchange::Respond(ServerResponse response) {
  CHECK(!responded_.exchange(true));
  if (!IsWorthCompressing(request_, response)) return Deliver({std::move(response), nullptr});
  Compress(std::make_shared<GzipResponse>(std::move(response)));
}

void ServerExchange::Stream(ServerResponse head, std::unique_ptr<BodySource> source) {
  CHECK(source != nullptr);
  CHECK(!responded_.exchange(true));
  Deliver({std::move(head), std::move(source)});
}

// Each step is posted, so that other connections of the thread get their turn in between.
void ServerExchange::Compress(std::shared_ptr<GzipResponse> response) {
  const auto port = port_.lock();
  if (port == nullptr) return;
  asio::post(port->context(), [self = shared_from_this(), response = std::move(response)] {
    if (response->Step()) return self->Compress(response);
    self->Deliver({response->Take(), nullptr});
  });
}

void ServerExchange::Deliver(Outcome outcome) {
  const auto port = port_.lock();
  if (port == nullptr) return;
  if (port->context().get_executor().running_in_this_thread()) {
    return port->Deliver(number_, std::move(outcome));
  }
  // Weak, because the context may stop before it runs this: the handler must not own what owns it.
  asio::post(port->context(),
             [weak = port_, number = number_, moved = std::move(outcome)]() mutable {
               if (const auto open = weak.lock()) open->Deliver(number, std::move(moved));
             });
}

// The source is read later even on the connection's thread: the caller may hold a lock that the
// source needs.
void ServerExchange::Wake() {
  if (woken_.exchange(true, std::memory_order_acq_rel)) return;
  const auto port = port_.lock();
  if (port == nullptr) return;
  asio::post(port->context(), [self = shared_from_this()] {
    self->woken_.exchange(false, std::memory_order_acq_rel);
    if (const auto open = self->port_.lock()) open->Wake(self->number_);
  });
}

void ServerExchange::WakeAfter(std::chrono::milliseconds delay) {
  const auto port = port_.lock();
  if (port == nullptr) return;
  asio::post(port->context(), [weak = port_, number = number_, delay] {
    if (const auto open = weak.lock()) open->WakeAfter(number, delay);
  });
}

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr PolledSocket::ReadSizes kServerReadSizes{.small = 4 << 10, .large = 64 << 10};
// Turns before other connections run.
constexpr int kMaxServerTurns = 16;
// Time for the peer to read the last response: closing while it still sends would make the kernel
// drop that response.
constexpr std::chrono::seconds kGoodbye{2};

// Enough of HTTP/2's preface to recognize it; nghttp2 checks the rest.
constexpr std::string_view kHttp2Start = "PRI * HTTP/2.0";

}  // namespace

ServerConnection::ServerConnection(std::shared_ptr<ServerWorker> worker, tcp::socket socket)
    : worker_(std::move(worker)),
      socket_(std::move(socket), kServerReadSizes),
      started_(SteadyNow()),
      last_write_(started_) {}

asio::io_context& ServerConnection::context() { return worker_->context(); }

void ServerConnection::Start() {
  const int socket = socket_.Prepare();
  error_code error;
  const tcp::endpoint remote = socket_.socket().remote_endpoint(error);
  // The peer may have closed the connection since it was accepted.
  if (error) return Close();
  asio::ip::address address = remote.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
  }
  peer_.address = address.to_string();
  peer_.loopback = address.is_loopback();
  const auto& tls = worker_->settings().options.tls;
  peer_.tls = tls != nullptr;
  socket_.SetStream(tls ? MakeTlsStream(socket, *tls) : MakePlainStream(socket));
  Pump();
}

void ServerConnection::Close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  session_.reset();
  wakes_.clear();
  socket_.Close();
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
  session_->Deliver(number, std::move(outcome), SteadyNow());
  // The caller may be in the middle of an operation that another handler must not interrupt.
  if (!pumping_) PumpLater();
}

void ServerConnection::Wake(RequestNumber number) {
  if (session_ == nullptr) return;
  session_->Wake(number);
  Pump();
}

void ServerConnection::WakeAfter(RequestNumber number, std::chrono::milliseconds delay) {
  if (closed_) return;
  wakes_.emplace(SteadyNow() + delay, number);
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
  const SteadyTime now = SteadyNow();
  bool more = true;
  for (int turn = 0; turn < kMaxServerTurns && more && !failed_; ++turn) more = Turn(now);
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
  const SocketStream::State state = socket_.Handshake();
  failed_ = state == SocketStream::State::kFailed || state == SocketStream::State::kEnd;
  opened_ = state == SocketStream::State::kDone;
  if (!opened_) return false;
  socket_.stream().Describe(peer_);
  started_ = now;
  return true;
}

bool ServerConnection::ReadSome() {
  const size_t max_input = worker_->settings().options.max_header_bytes + kServerReadSizes.large;
  if (peer_ended_ || input_.size() >= max_input) return false;
  switch (socket_.Read(input_)) {
    case SocketStream::State::kDone:
      if (goodbye_) input_.Consume(input_.size());
      return true;
    case SocketStream::State::kEnd:
      peer_ended_ = true;
      failed_ = goodbye_ || session_ == nullptr;
      return true;
    case SocketStream::State::kFailed:
      failed_ = true;
      return false;
    default:
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
    // Bytes that the peer has not accepted yet come first.
    if (socket_.writable() && before < ServerSession::kBatchBytes) session_->Produce(out_, now);
    if (used == 0 && out_.size() == before) return moved;
    moved = true;
    if (out_.size() >= ServerSession::kBatchBytes) return true;
  }
}

bool ServerConnection::WriteSome(SteadyTime now) {
  if (out_.empty()) return false;
  const size_t before = out_.size();
  if (socket_.Write(out_) == SocketStream::State::kFailed) failed_ = true;
  if (out_.size() == before) return false;
  last_write_ = now;
  return true;
}

bool ServerConnection::ChooseSession(SteadyTime now) {
  const ServerOptions& options = worker_->settings().options;
  SessionHost& host = *this;
  bool http2 = socket_.stream().is_http2();
  if (!http2) {
    const std::string_view first = input_.view();
    if (first.empty()) return false;
    const std::string_view compared = first.substr(0, kHttp2Start.size());
    http2 = kHttp2Start.starts_with(compared);
    if (http2 && compared.size() < kHttp2Start.size()) return false;
  }
  if (http2) {
    session_ = std::make_unique<Http2ServerSession>(options, host, now);
  } else {
    session_ = std::make_unique<Http1ServerSession>(options, host, now);
  }
  if (draining_) session_->Drain();
  return true;
}

void ServerConnection::BeginGoodbye(SteadyTime now) {
  session_.reset();
  goodbye_ = true;
  goodbye_until_ = now + kGoodbye;
  input_.Consume(input_.size());
  socket_.stream().SayGoodbye();
  if (peer_ended_) failed_ = true;
}

void ServerConnection::Wait() {
  if (closed_) return;
  socket_.WaitUntilReady(shared_from_this(), !peer_ended_);
  socket_.WaitUntil(NextDeadline(), shared_from_this());
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

void ServerConnection::OnTime() {
  if (closed_) return;
  const SteadyTime now = SteadyNow();
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
