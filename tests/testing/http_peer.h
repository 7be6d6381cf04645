// HttpPeer is the server's end of a connection, for tests of clients. It sends arbitrary bytes and
// HTTP/2 frames, and returns what the client sends. It blocks; a read fails the test after 30
// seconds.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace berth {

struct HttpFrame {
  enum Type : uint8_t {
    kData = 0,
    kHeaders = 1,
    kReset = 3,
    kSettings = 4,
    kPing = 6,
    kGoAway = 7,
    kWindowUpdate = 8,
    kNone = 255,
  };
  static constexpr uint8_t kAck = 1;
  static constexpr uint8_t kEndStream = 1;
  static constexpr uint8_t kEndHeaders = 4;

  Type type = kNone;
  uint8_t flags = 0;
  uint32_t stream = 0;
  std::string payload;
};

// Encodes a number in network byte order.
inline std::string BigEndian(uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

class HttpPeer {
 public:
  explicit HttpPeer(int socket) : socket_(socket) {
    constexpr timeval kLimit{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
  }
  ~HttpPeer() { Close(); }
  HttpPeer(const HttpPeer&) = delete;
  HttpPeer& operator=(const HttpPeer&) = delete;

  void Close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  void Send(std::string_view bytes) {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  // Returns the bytes up to and including `end`.
  std::string ReadUntil(std::string_view end) {
    size_t at = 0;
    while ((at = pending_.find(end)) == std::string::npos) {
      if (!Receive()) {
        ADD_FAILURE() << "no \"" << end << "\" after \"" << pending_ << '"';
        return {};
      }
    }
    return TakeFront(at + end.size());
  }

  // Reports whether the client closes the connection; ignores what it still sends.
  bool WaitForClose() {
    while (Receive()) {
    }
    return closed_;
  }

  // --- HTTP/2 ---

  // Reads the client's preface and sends settings with `max_streams` concurrent streams.
  void Greet(uint32_t max_streams = 100) {
    ReadUntil("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    SendFrame(
        {.type = HttpFrame::kSettings, .payload = std::string("\0\3", 2) + BigEndian(max_streams)});
  }

  void SendFrame(const HttpFrame& frame) {
    const auto size = static_cast<uint32_t>(frame.payload.size());
    std::string bytes = BigEndian(size).substr(1);
    bytes += static_cast<char>(frame.type);
    bytes += static_cast<char>(frame.flags);
    bytes += BigEndian(frame.stream) + frame.payload;
    Send(bytes);
  }

  // Returns the next frame of that type; ignores others.
  HttpFrame Await(HttpFrame::Type type) {
    constexpr size_t kHead = 9;
    for (;;) {
      if (!Fill(kHead)) return {};
      const std::string head = TakeFront(kHead);
      const auto byte = [&](size_t at) { return static_cast<uint8_t>(head[at]); };
      HttpFrame frame{.type = static_cast<HttpFrame::Type>(byte(3)),
                      .flags = byte(4),
                      .stream = uint32_t{byte(5)} << 24 | uint32_t{byte(6)} << 16 |
                                uint32_t{byte(7)} << 8 | byte(8),
                      .payload = {}};
      const size_t size = size_t{byte(0)} << 16 | size_t{byte(1)} << 8 | byte(2);
      if (!Fill(size)) return {};
      frame.payload = TakeFront(size);
      if (frame.type == type) return frame;
    }
  }

  // Returns the stream of the next request.
  uint32_t AwaitRequest() { return Await(HttpFrame::kHeaders).stream; }

  // Sends ":status: 200" and `more`, which is HPACK.
  void SendHead(uint32_t stream, bool end = false, const std::string& more = "") {
    const uint8_t flags = HttpFrame::kEndHeaders | (end ? HttpFrame::kEndStream : 0);
    SendFrame({HttpFrame::kHeaders, flags, stream, "\x88" + more});
  }
  void SendData(uint32_t stream, const std::string& bytes, bool end = false) {
    SendFrame({HttpFrame::kData, end ? HttpFrame::kEndStream : uint8_t{0}, stream, bytes});
  }
  void Respond(uint32_t stream, const std::string& body) {
    SendHead(stream);
    SendData(stream, body, true);
  }
  void Reset(uint32_t stream, uint32_t code) {
    SendFrame({HttpFrame::kReset, 0, stream, BigEndian(code)});
  }
  void GoAway(uint32_t last_stream) {
    SendFrame({HttpFrame::kGoAway, 0, 0, BigEndian(last_stream) + BigEndian(0)});
  }

 private:
  bool Receive() {
    std::array<char, 16384> piece;
    const ssize_t size = ::recv(socket_, piece.data(), piece.size(), 0);
    closed_ = size == 0 || (size < 0 && errno == ECONNRESET);
    if (size <= 0) return false;
    pending_.append(piece.data(), static_cast<size_t>(size));
    return true;
  }

  bool Fill(size_t size) {
    while (pending_.size() < size) {
      if (!Receive()) {
        ADD_FAILURE() << "the client is silent";
        return false;
      }
    }
    return true;
  }

  std::string TakeFront(size_t size) {
    std::string taken = pending_.substr(0, size);
    pending_.erase(0, size);
    return taken;
  }

  int socket_;
  bool closed_ = false;
  std::string pending_;
};

// Listens on a free loopback port.
class HttpPeers {
 public:
  HttpPeers() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    constexpr timeval kLimit{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof kLimit);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(socket_, generic, size), 0);
    EXPECT_EQ(::listen(socket_, 64), 0);
    EXPECT_EQ(::getsockname(socket_, generic, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~HttpPeers() { ::close(socket_); }
  HttpPeers(const HttpPeers&) = delete;
  HttpPeers& operator=(const HttpPeers&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

  // Accepts the next connection.
  std::unique_ptr<HttpPeer> Accept() {
    const int socket = ::accept(socket_, nullptr, nullptr);
    EXPECT_GE(socket, 0);
    return std::make_unique<HttpPeer>(socket);
  }

 private:
  int socket_;
  uint16_t port_ = 0;
};

}  // namespace berth
