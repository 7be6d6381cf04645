// InputBuffer holds what was read from a peer and not used yet, in one piece.
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

class InputBuffer {
 public:
  std::string_view view() const { return {bytes_.data() + begin_, size_}; }
  size_t size() const { return size_; }

  // Room for `size` bytes behind those that are there. Moves them.
  std::span<char> Prepare(size_t size) {
    if (begin_ > 0) std::memmove(bytes_.data(), bytes_.data() + begin_, size_);
    begin_ = 0;
    if (bytes_.size() < size_ + size) bytes_.resize(size_ + size);
    return std::span(bytes_).subspan(size_, size);
  }
  // The first `size` bytes of that room are filled.
  void Commit(size_t size) { size_ += size; }

  void Consume(size_t size) {
    begin_ += size;
    size_ -= size;
    if (size_ > 0) return;
    begin_ = 0;
    // One large request must not keep its memory for the connection's lifetime.
    if (bytes_.size() > kMaxKept) std::vector<char>().swap(bytes_);
  }

 private:
  static constexpr size_t kMaxKept = 16 << 10;

  std::vector<char> bytes_;
  size_t begin_ = 0;
  size_t size_ = 0;
};

// PolledSocket is a socket that never blocks, with the stream on it: it keeps in mind whether
// reading or writing may get anywhere, and waits for that, and for a time, on behalf of a
// connection.
//
// Lives on one thread, within the connection that it tells.
class PolledSocket {
 public:
  using State = SocketStream::State;

  class Listener {
   public:
    // Reading or writing may get somewhere.
    virtual void OnReady() = 0;
    // The time has come.
    virtual void OnTime() = 0;

   protected:
    ~Listener() = default;
  };

  // Most messages are small, and most connections idle: reads begin small, and are large while
  // the peer fills them.
  struct ReadSizes {
    size_t small = 0;
    size_t large = 0;
  };

  PolledSocket(boost::asio::ip::tcp::socket socket, ReadSizes sizes);

  boost::asio::ip::tcp::socket& socket() { return socket_; }
  SocketStream& stream() { return *stream_; }
  bool has_stream() const { return stream_ != nullptr; }

  // The socket is connected: sets it up and gives its descriptor, for the stream.
  int Prepare();
  void SetStream(std::unique_ptr<SocketStream> stream) { stream_ = std::move(stream); }
  // Nobody is told anything from here on, except of what was under way.
  void Close();

  // As the stream's; reading and writing do nothing while they cannot get anywhere.
  State Handshake();
  State Read(InputBuffer& into);
  State Write(Outgoing& out);

  bool writable() const { return writable_; }
  // To be tried again, even if nothing was heard of the socket.
  void MakeReadable() { readable_ = true; }
  void MakeWritable() { writable_ = true; }

  // Tells the listener when what could not be done can be; reading only if `reads`.
  void WaitUntilReady(const std::shared_ptr<Listener>& listener, bool reads);
  // Tells the listener at `time`, or at an earlier time that was waited for before.
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

  bool readable_ = true;     // Reading may give something.
  bool writable_ = true;     // Writing may take something.
  bool want_write_ = false;  // The handshake or reading waits for room to write.
  bool waiting_read_ = false;
  bool waiting_write_ = false;
};

}  // namespace berth::net
