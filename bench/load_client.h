// LoadClient and Watchers put load on an HTTP/1.1 server on loopback with little CPU time of their
// own.
//
// They support only what Berth's server sends: responses with a Content-Length, and chunked
// streams, whose events they count. Anything else ends the program.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::bench {

// A connected TCP socket.
class Socket {
 public:
  explicit Socket(uint16_t port);
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int descriptor() const { return descriptor_; }
  void Send(std::string_view bytes) const;
  // Waits for bytes, stores them in `buffer` and returns their number.
  size_t Receive(std::string& buffer) const;

 private:
  int descriptor_;
};

// Elapsed time and CPU time: of the calling thread, and of all other threads of the process, which
// include the server's.
struct Cost {
  double seconds = 0;
  double own_cpu_seconds = 0;
  double other_cpu_seconds = 0;
};

class Stopwatch {
 public:
  Stopwatch();
  Cost Read() const;

 private:
  std::chrono::steady_clock::time_point begin_;
  double own_;
  double process_;
};

// LoadClient sends requests over several connections, one at a time on each.
class LoadClient {
 public:
  LoadClient(uint16_t port, size_t connections);
  ~LoadClient();
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  // Appends the request with this number to the string.
  using MakeRequest = std::function<void(size_t, std::string&)>;
  // Sends `requests` requests, whose responses must have `status`. Returns the size of the
  // responses in bytes.
  uint64_t Run(size_t requests, int status, const MakeRequest& make);

 private:
  struct Connection {
    Socket socket;
    std::string head = {};  // The received part of the response's header.
    size_t body_left = 0;   // Bytes of the body that are yet to be received.
  };
  // Processes received bytes; returns true if they complete a response.
  static bool Consume(Connection& connection, std::string_view bytes, int status);

  std::vector<Connection> connections_;
  std::string buffer_;
  int epoll_;
};

// Watchers hold watches, each over its own connection, and count the received events.
class Watchers {
 public:
  // Returns when all watches are established; `target` is the watch's path and query.
  Watchers(uint16_t port, size_t count, std::string_view target);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  // Reads until each watcher has received `events` events in total. Returns the number of bytes
  // read.
  uint64_t ReadUntil(size_t events);

 private:
  struct Watcher {
    Socket socket;
    size_t events = 0;
    char last = 0;  // The last byte received: an event's end may be split.
  };

  static void CountEvents(Watcher& watcher, std::string_view bytes);

  std::vector<Watcher> watchers_;
  std::string buffer_;
  int epoll_;
};

}  // namespace berth::bench
