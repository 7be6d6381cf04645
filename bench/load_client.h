// Clients that put load on an HTTP/1.1 server on loopback, for as little CPU time as they can.
//
// They understand of HTTP what Berth's server sends: answers with a Content-Length, and chunked
// streams, whose events they count. Whatever else comes ends the program.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace berth::bench {

// A connected TCP socket; closed with it.
class Socket {
 public:
  explicit Socket(uint16_t port);
  ~Socket();
  Socket(Socket&& other) noexcept;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int number() const { return number_; }
  void Send(std::string_view bytes) const;
  // Waits for some bytes, and returns how many it put into `room`.
  size_t Receive(std::string& room) const;

 private:
  int number_;
};

// What it took, by the clock and in CPU time: of the calling thread, and of all others of this
// process, among them the server's.
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

// LoadClient sends requests over several connections, over each one at a time.
class LoadClient {
 public:
  LoadClient(uint16_t port, size_t connections);
  ~LoadClient();
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  // Appends the bytes of the request with this number.
  using MakeRequest = std::function<void(size_t, std::string&)>;
  // Sends that many requests, whose answers must have this status. Returns how many bytes the
  // answers had.
  uint64_t Run(size_t requests, int status, const MakeRequest& make);

 private:
  struct Connection {
    Socket socket;
    std::string head = {};  // As much as has come of the answer's head.
    size_t body_left = 0;   // What is still to come of its body.
  };
  // Takes what came; true if that completes an answer.
  static bool Take(Connection& connection, std::string_view bytes, int status);

  std::vector<Connection> connections_;
  std::string room_;
  int epoll_;
};

// Watchers hold watches, each over a connection of its own, and count the events that come.
class Watchers {
 public:
  // All of them are answered when it returns; `target` is the watch's path and query.
  Watchers(uint16_t port, size_t count, std::string_view target);
  ~Watchers();
  Watchers(const Watchers&) = delete;
  Watchers& operator=(const Watchers&) = delete;

  // Reads until each watcher has had `events` since the beginning. Returns how many bytes it read.
  uint64_t ReadUntil(size_t events);

 private:
  struct Watcher {
    Socket socket;
    size_t events = 0;
    char last = 0;  // What came last, as an event's end may come in two parts.
  };

  std::vector<Watcher> watchers_;
  std::string room_;
  int epoll_;
};

}  // namespace berth::bench
