#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "net/socket_stream.h"

namespace berth::net {

namespace {

constexpr size_t kMaxBuffers = 64;

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK; }

class PlainStream final : public SocketStream {
 public:
  explicit PlainStream(int socket) : socket_(socket) {}

  State Handshake() override { return State::kDone; }
  bool is_http2() const override { return false; }
  void Describe(Peer&) const override {}

  Progress Read(std::span<char> into) override {
    for (;;) {
      const ssize_t size = ::recv(socket_, into.data(), into.size(), 0);
      if (size > 0) return {State::kDone, static_cast<size_t>(size)};
      if (size == 0) return {State::kEnd, 0};
      if (WouldBlock()) return {State::kWantRead, 0};
      if (errno != EINTR) {
        error_ = errno;
        return {State::kFailed, 0};
      }
    }
  }

  bool has_buffered() const override { return false; }

  State Write(Outgoing& out) override {
    while (!out.empty()) {
      std::array<iovec, kMaxBuffers> buffers;
      msghdr message{};
      message.msg_iov = buffers.data();
      message.msg_iovlen = out.Gather(buffers);
      const ssize_t size = ::sendmsg(socket_, &message, MSG_NOSIGNAL);
      if (size >= 0) {
        out.Consume(static_cast<size_t>(size));
      } else if (WouldBlock()) {
        return State::kWantWrite;
      } else if (errno != EINTR) {
        error_ = errno;
        return State::kFailed;
      }
    }
    return State::kDone;
  }

  StreamProblem problem() const override { return {.tls = false, .text = SystemErrorText(error_)}; }
  void SayGoodbye() override { ::shutdown(socket_, SHUT_WR); }

 private:
  const int socket_;
  int error_ = 0;
};

}  // namespace

std::string SystemErrorText(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] += 'a' - 'A';
  return text;
}

std::unique_ptr<SocketStream> MakePlainStream(int socket) {
  return std::make_unique<PlainStream>(socket);
}

}  // namespace berth::net
