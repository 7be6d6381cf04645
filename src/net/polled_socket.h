// PolledSocket is the non-blocking socket of a connection, and InputBuffer holds the bytes that
// were read from it and not used yet.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "net/outgoing.h"
#include "net/socket_stream.h"
#include "net/steady_time.h"

namespace berth::net {

// InputBuffer holds the bytes that were read from a peer and not used yet, in one piece.
class InputBuffer {
 public:
  std::string_view view() const { return {bytes_.data() + begin_, size_}; }
  size_t size() const { return size_; }

  // Returns space for `size` bytes behind the existing ones. May move them.
  std::span<char> Prepare(size_t size) {
    if (begin_ > 0) std::memmove(bytes_.data(), bytes_.data() + begin_, size_);
    begin_ = 0;
    if (bytes_.size() < size_ + size) bytes_.resize(size_ + size);
    return std::span(bytes_).subspan(size_, size);
  }
  // Appends the first `size` bytes of that space.
  void Commit(size_t size) { size_ += size; }

  void Consume(size_t size) {
    begin_ += size;
    size_ -= size;
    if (size_ > 0) return;
    begin_ = 0;
    // One large request must not retain its memory for the connection's lifetime.
    if (bytes_.size() > kMaxRetained) std::vector<char>().swap(bytes_);
  }

 private:
  static constexpr size_t kMaxRetained = 16 << 10;

  std::vector<char> bytes_;
  size_t begin_ = 0;
  size_t size_ = 0;
};

// PolledSocket is a non-blocking socket and its stream: it tracks whether reading or writing may
// make progress, and waits for that, or for a time, on behalf of a connection.
//
// Belongs to one thread and to the connection that listens to it.
class PolledSocket {
 public:
  using State = SocketStream::State;

  class Listener {
   public:
    // Reading or writing may make progress.
    virtual void OnReady() = 0;
    // The time has come.
    virtual void OnTime() = 0;

   protected:
    ~Listener() = default;
  };

  // Most messages are small and most connections idle: reads start small, and are large while the
  // peer fills them.
  struct ReadSizes {
    size_t small = 0;
    size_t large = 0;
  };

  PolledSocket(boost::asio::ip::tcp::socket socket, ReadSizes sizes);

  boost::asio::ip::tcp::socket& socket() { return socket_; }
  SocketStream& stream() { return *stream_; }
  bool has_stream() const { return stream_ != nullptr; }

  // Configures the connected socket and returns its descriptor, for the stream. A peer that has
  // vanished without closing the connection is noticed after 35 seconds: the socket fails.
  int Prepare();
  void SetStream(std::unique_ptr<SocketStream> stream) { stream_ = std::move(stream); }
  // Closes the socket. The listener is not called any more, except for completed waits.
  void Close();

  // Like those of the stream; reading and writing do nothing while they cannot make progress.
  State Handshake();
  State Read(InputBuffer& into);
  State Write(Outgoing& out);

  bool writable() const { return writable_; }
  // Makes the next Read try, even without an event on the socket.
  void MakeReadable() { readable_ = true; }
  void MakeWritable() { writable_ = true; }

  // Calls the listener when blocked operations can continue; waits for reading only if `reads`.
  void WaitUntilReady(const std::shared_ptr<Listener>& listener, bool reads);
  // Calls the listener at `time`, or at the earlier time of a pending wait.
  void WaitUntil(SteadyTime time, const std::shared_ptr<Listener>& listener);

 private:
  using WaitType = boost::asio::ip::tcp::socket::wait_type;

  void Await(WaitType what, bool PolledSocket::* waiting, std::shared_ptr<Listener> listener);

  boost::asio::ip::tcp::socket socket_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<SocketStream> stream_;
  const ReadSizes sizes_;
  size_t read_size_;
  SteadyTime timer_until_ = SteadyTime::max();

  bool readable_ = true;     // Reading may make progress.
  bool writable_ = true;     // Writing may make progress.
  bool want_write_ = false;  // The handshake or reading waits for the socket to become writable.
  bool waiting_read_ = false;
  bool waiting_write_ = false;
};

}  // namespace berth::net
