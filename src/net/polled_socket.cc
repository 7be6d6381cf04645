#include "net/polled_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

namespace berth::net {

using boost::asio::ip::tcp;
using boost::system::error_code;

namespace {

// A silent connection is probed after kProbeAfter seconds, and fails when kProbes probes in a row,
// one every kProbeEvery seconds, are not acknowledged. In total less than HTTP/2's pings take.
constexpr int kProbeAfter = 15;
constexpr int kProbeEvery = 5;
constexpr int kProbes = 4;

void ProbeWhenSilent(int socket) {
  const auto set = [&](int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, kProbeAfter);
  set(IPPROTO_TCP, TCP_KEEPINTVL, kProbeEvery);
  set(IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  // The same for bytes that are not acknowledged, which the kernel would repeat for 15 minutes.
  constexpr int kMillis = 1000;
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, (kProbeAfter + kProbeEvery * kProbes) * kMillis);
}

}  // namespace

PolledSocket::PolledSocket(tcp::socket socket, ReadSizes sizes)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      sizes_(sizes),
      read_size_(sizes.small) {}

int PolledSocket::Prepare() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(tcp::no_delay(true), ignored);
  ProbeWhenSilent(socket_.native_handle());
  return socket_.native_handle();
}

void PolledSocket::Close() {
  timer_.cancel();
  stream_.reset();
  error_code ignored;
  socket_.close(ignored);
}

PolledSocket::State PolledSocket::Handshake() {
  const State state = stream_->Handshake();
  want_write_ = state == State::kWantWrite;
  readable_ = state != State::kWantRead;
  return state;
}

PolledSocket::State PolledSocket::Read(InputBuffer& into) {
  if (!readable_) return State::kWantRead;
  const SocketStream::Progress progress = stream_->Read(into.Prepare(read_size_));
  if (progress.state == State::kDone) {
    const bool filled = progress.bytes == read_size_;
    into.Commit(progress.bytes);
    readable_ = filled || stream_->has_buffered();
    read_size_ = filled ? sizes_.large : sizes_.small;
  } else if (progress.state == State::kWantRead || progress.state == State::kWantWrite) {
    readable_ = false;
    want_write_ = progress.state == State::kWantWrite;
  }
  return progress.state;
}

PolledSocket::State PolledSocket::Write(Outgoing& out) {
  if (!writable_) return State::kWantWrite;
  const State state = stream_->Write(out);
  writable_ = state == State::kDone;
  if (state == State::kWantRead) readable_ = false;
  return state;
}

void PolledSocket::WaitUntilReady(const std::shared_ptr<Listener>& listener, bool reads) {
  if (!readable_ && reads) Await(tcp::socket::wait_read, &PolledSocket::waiting_read_, listener);
  if (!writable_ || want_write_) {
    Await(tcp::socket::wait_write, &PolledSocket::waiting_write_, listener);
  }
}

void PolledSocket::Await(WaitType what, bool PolledSocket::* waiting,
                         std::shared_ptr<Listener> listener) {
  if (std::exchange(this->*waiting, true)) return;
  // The listener also keeps this socket alive.
  socket_.async_wait(what, [this, waiting, listener = std::move(listener)](error_code error) {
    this->*waiting = false;
    if (error) return;
    // Each may unblock the other: TLS may read in order to write.
    readable_ = true;
    writable_ = true;
    want_write_ = false;
    listener->OnReady();
  });
}

void PolledSocket::WaitUntil(SteadyTime time, const std::shared_ptr<Listener>& listener) {
  if (time >= timer_until_) return;
  timer_until_ = time;
  timer_.expires_at(time);
  timer_.async_wait([this, listener](error_code error) {
    if (error) return;
    timer_until_ = SteadyTime::max();
    listener->OnTime();
  });
}

}  // namespace berth::net
