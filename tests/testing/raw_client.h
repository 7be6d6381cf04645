// RawClient is a blocking socket to a server on this machine, for sending arbitrary bytes. A read
// fails the test after 30 seconds of silence.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace berth {

class RawClient {
 public:
  // `receive_buffer` is the size of the socket's buffer, for clients that read slowly; 0 leaves the
  // default.
  explicit RawClient(uint16_t port, int receive_buffer = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    if (receive_buffer > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    }
    constexpr timeval kLimit{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
    constexpr int kYes = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  virtual ~RawClient() { Close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  int socket() const { return socket_; }

  // Reports whether all bytes were accepted by the kernel.
  bool Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = SendSome(bytes);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  void EndSending() { ::shutdown(socket_, SHUT_WR); }

  void Close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  // Returns the bytes up to and including `end`; fails the test if it is not received.
  std::string ReadUntil(std::string_view end) {
    size_t at = 0;
    while ((at = pending_.find(end)) == std::string::npos) {
      if (!Receive()) {
        ADD_FAILURE() << "no \"" << end << "\" after \"" << pending_ << '"';
        return std::exchange(pending_, {});
      }
    }
    std::string read = pending_.substr(0, at + end.size());
    pending_.erase(0, read.size());
    return read;
  }

  // Returns the next `size` bytes, or fewer if the server closes the connection.
  std::string Read(size_t size) {
    while (pending_.size() < size && Receive()) {
    }
    std::string read = pending_.substr(0, size);
    pending_.erase(0, read.size());
    return read;
  }

  // Returns the next bytes as they arrive; empty when the server has closed the connection.
  std::string ReadSome() {
    if (pending_.empty()) Receive();
    return std::exchange(pending_, {});
  }

  // Returns everything until the server closes the connection.
  std::string ReadAll() {
    while (Receive()) {
    }
    return std::exchange(pending_, {});
  }

 protected:
  // As send and recv.
  virtual ssize_t SendSome(std::string_view bytes) {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  virtual ssize_t ReceiveSome(std::span<char> into) {
    return ::recv(socket_, into.data(), into.size(), 0);
  }

 private:
  bool Receive() {
    std::array<char, 16384> piece;
    const ssize_t size = ReceiveSome(piece);
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      ADD_FAILURE() << "the server is silent after \"" << pending_ << '"';
    }
    if (size <= 0) return false;
    pending_.append(piece.data(), static_cast<size_t>(size));
    return true;
  }

  int socket_;
  bool connected_ = false;
  std::string pending_;
};

}  // namespace berth
