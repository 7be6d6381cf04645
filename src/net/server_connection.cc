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

void ServerExchange::OnAbandoned(std::function<void()> abandoned) {
  const auto port = port_.lock();
  if (port == nullptr) return;
  CHECK(port->context().get_executor().running_in_this_thread());
  if (!responded_) port->OnAbandoned(number_, std::move(abandoned));
}

namespace {

using asio::ip::tcp;

constexpr size_t kSmallRead = 4 << 10;
constexpr size_t kLargeRead = 64 << 10;
// Turns before other connections run.
constexpr int kMaxServerTurns = 16;
// Time for the peer to read the last response: closing while it still sends would make the kernel
// drop that response.
constexpr std::chrono::seconds kGoodbye{2};

// Enough of HTTP/2's preface to recognize it; nghttp2 checks the rest.
constexpr std::string_view kHttp2Start = "PRI * HTTP/2.0";

// A server of small requests reads little ahead: that is memory of each connection.
PolledSocket::ReadSizes ReadSizesFor(const ServerOptions& options) {
  return {.small = kSmallRead, .large = std::clamp(options.max_body_bytes, kSmallRead, kLargeRead)};
}

}  // namespace

ServerConnection::ServerConnection(std::shared_ptr<ServerWorker> worker, tcp::socket socket,
                                   const asio::ip::address& peer, uint64_t number)
    : worker_(std::move(worker)),
      socket_(std::move(socket), ReadSizesFor(worker_->settings().options)),
      started_(SteadyNow()),
      last_request_(started_),
      last_write_(started_) {
  peer_.address = peer.to_string();
  peer_.connection = number;
  peer_.loopback = peer.is_loopback();
  peer_.tls = worker_->settings().options.tls != nullptr;
}

asio::io_context& ServerConnection::context() { return worker_->context(); }

void ServerConnection::CloseLater() {
  // Weak, because the context may stop before it runs this: the handler must not own what owns it.
  asio::post(context(), [weak = weak_from_this()] {
    if (const auto connection = weak.lock()) connection->Close();
  });
}

void ServerConnection::Start() {
  const int socket = socket_.Prepare();
  const auto& tls = worker_->settings().options.tls;
  socket_.SetStream(tls ? MakeTlsStream(socket, *tls) : MakePlainStream(socket));
  Pump();
}

void ServerConnection::Close() {
  if (std::exchange(closed_, true)) return;
  const auto self = shared_from_this();
  AbandonAll();
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
  on_abandoned_.erase(number);
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

void ServerConnection::OnAbandoned(RequestNumber number, std::function<void()> abandoned) {
  if (!closed_) on_abandoned_.insert_or_assign(number, std::move(abandoned));
}

void ServerConnection::Abandoned(RequestNumber number) {
  if (const auto found = on_abandoned_.extract(number)) found.mapped()();
}

void ServerConnection::AbandonAll() {
  while (!on_abandoned_.empty()) Abandoned(on_abandoned_.begin()->first);
}

std::shared_ptr<BodyBudget> ServerConnection::body_budget() const {
  return worker_->settings().body_budget;
}

std::optional<ServerResponse> ServerConnection::Admit(ServerRequest& head) {
  const RequestAdmission& admission = worker_->settings().options.admission;
  if (!admission) return std::nullopt;
  head.peer = peer_;
  return admission(head);
}

void ServerConnection::Handle(RequestNumber number, ServerRequest request) {
  requested_ = true;
  last_request_ = SteadyNow();
  record_->Note(ConnectionUse::kBusy, last_request_);
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
  record_->Note(use(), last_request_);
  if (more) PumpLater();
  Wait();
}

ConnectionUse ServerConnection::use() const {
  if (session_ != nullptr && session_->busy()) return ConnectionUse::kBusy;
  return requested_ ? ConnectionUse::kIdle : ConnectionUse::kNew;
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
  const ServerOptions& options = worker_->settings().options;
  const size_t max_input = options.max_header_bytes + ReadSizesFor(options).large;
  if (peer_ended_ || input_.size() >= max_input) return false;
  switch (socket_.Read(input_)) {
    case SocketStream::State::kDone:
      if (goodbye_) input_.Consume(input_.size());
      return true;
    case SocketStream::State::kEnd:
      peer_ended_ = true;
      failed_ = goodbye_ || session_ == nullptr;
      // As in Go: who closes a connection does not wait for the response.
      AbandonAll();
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
    until = started_ + std::min(options.header_timeout, options.idle_timeout);
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
