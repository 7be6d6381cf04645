#include "load_client.h"

#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.h"

namespace berth::bench {
namespace {

constexpr size_t kBufferBytes = 256 << 10;
constexpr std::string_view kHeadEnd = "\r\n\r\n";

double CpuSeconds(clockid_t clock) {
  timespec time{};
  CHECK(::clock_gettime(clock, &time) == 0);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

size_t ContentLength(std::string_view head) {
  constexpr std::string_view kName = "\r\nContent-Length: ";
  const size_t at = head.find(kName);
  CHECK(at != head.npos);
  size_t length = 0;
  const char* begin = head.data() + at + kName.size();
  CHECK(std::from_chars(begin, head.data() + head.size(), length).ec == std::errc());
  return length;
}

// Returns an epoll that reports the indexes of `members` with input.
int MakeEpoll(const auto& members) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  CHECK(epoll >= 0);
  for (size_t i = 0; i < members.size(); ++i) {
    epoll_event event{.events = EPOLLIN, .data = {.u64 = i}};
    CHECK(::epoll_ctl(epoll, EPOLL_CTL_ADD, members[i].socket.descriptor(), &event) == 0);
  }
  return epoll;
}

void ForEachReady(int epoll, const auto& act) {
  std::array<epoll_event, 256> ready;
  const int count = ::epoll_wait(epoll, ready.data(), static_cast<int>(ready.size()), -1);
  for (int i = 0; i < count; ++i) act(ready[static_cast<size_t>(i)].data.u64);
}

}  // namespace

Socket::Socket(uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  CHECK(descriptor_ >= 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::connect(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  constexpr int kYes = 1;
  ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &kYes, sizeof kYes);
}

Socket::~Socket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

void Socket::Send(std::string_view bytes) const {
  CHECK(::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
        static_cast<ssize_t>(bytes.size()));
}

size_t Socket::Receive(std::string& buffer) const {
  const ssize_t size = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
  CHECK(size > 0);
  return static_cast<size_t>(size);
}

Stopwatch::Stopwatch()
    : begin_(std::chrono::steady_clock::now()),
      own_(CpuSeconds(CLOCK_THREAD_CPUTIME_ID)),
      process_(CpuSeconds(CLOCK_PROCESS_CPUTIME_ID)) {}

Cost Stopwatch::Read() const {
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin_;
  const double own = CpuSeconds(CLOCK_THREAD_CPUTIME_ID) - own_;
  return {.seconds = seconds.count(),
          .own_cpu_seconds = own,
          .other_cpu_seconds = CpuSeconds(CLOCK_PROCESS_CPUTIME_ID) - process_ - own};
}

LoadClient::LoadClient(uint16_t port, size_t connections) : buffer_(kBufferBytes, '\0') {
  for (size_t i = 0; i < connections; ++i) connections_.push_back({.socket = Socket(port)});
  epoll_ = MakeEpoll(connections_);
}

LoadClient::~LoadClient() { ::close(epoll_); }

uint64_t LoadClient::Run(size_t requests, int status, const MakeRequest& make) {
  std::string request;
  size_t sent = 0;
  const auto send_next = [&](const Connection& connection) {
    if (sent == requests) return;
    request.clear();
    make(sent++, request);
    connection.socket.Send(request);
  };
  for (const Connection& connection : connections_) send_next(connection);

  uint64_t bytes = 0;
  for (size_t completed = 0; completed < requests;) {
    ForEachReady(epoll_, [&](size_t i) {
      const size_t size = connections_[i].socket.Receive(buffer_);
      bytes += size;
      if (!Consume(connections_[i], {buffer_.data(), size}, status)) return;
      ++completed;
      send_next(connections_[i]);
    });
  }
  return bytes;
}

bool LoadClient::Consume(Connection& connection, std::string_view bytes, int status) {
  if (connection.body_left == 0) {
    connection.head += bytes;
    const size_t end = connection.head.find(kHeadEnd);
    if (end == std::string::npos) return false;
    if (!connection.head.starts_with(fmt::format("HTTP/1.1 {} ", status))) {
      fmt::print(stderr, "expected status {}: {}\n", status, connection.head);
      CHECK(false);
    }
    const std::string_view head(connection.head.data(), end + kHeadEnd.size());
    connection.body_left = ContentLength(head);
    bytes = std::string_view(connection.head).substr(head.size());
  }
  CHECK(bytes.size() <= connection.body_left);
  connection.body_left -= bytes.size();
  connection.head.clear();
  return connection.body_left == 0;
}

Watchers::Watchers(uint16_t port, size_t count, std::string_view target)
    : buffer_(kBufferBytes, '\0') {
  const std::string request = fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n\r\n", target);
  for (size_t i = 0; i < count; ++i) {
    watchers_.push_back({.socket = Socket(port)});
    watchers_.back().socket.Send(request);
  }
  for (Watcher& watcher : watchers_) {
    const size_t size = watcher.socket.Receive(buffer_);
    const std::string_view bytes(buffer_.data(), size);
    const size_t end = bytes.find(kHeadEnd);
    CHECK(bytes.starts_with("HTTP/1.1 200 ") && end != std::string_view::npos);
    CountEvents(watcher, bytes.substr(end + kHeadEnd.size()));
  }
  epoll_ = MakeEpoll(watchers_);
}

Watchers::~Watchers() { ::close(epoll_); }

void Watchers::CountEvents(Watcher& watcher, std::string_view bytes) {
  // An event ends with a line feed; the line feeds of chunks follow a carriage return.
  for (size_t at = bytes.find('\n'); at != bytes.npos; at = bytes.find('\n', at + 1)) {
    const char previous = at == 0 ? watcher.last : bytes[at - 1];
    if (previous != '\r') ++watcher.events;
  }
  if (!bytes.empty()) watcher.last = bytes.back();
}

uint64_t Watchers::ReadUntil(size_t events) {
  uint64_t bytes = 0;
  size_t behind = static_cast<size_t>(std::ranges::count_if(
      watchers_, [&](const Watcher& watcher) { return watcher.events < events; }));
  while (behind > 0) {
    ForEachReady(epoll_, [&](size_t i) {
      Watcher& watcher = watchers_[i];
      const size_t size = watcher.socket.Receive(buffer_);
      bytes += size;
      const size_t before = watcher.events;
      CountEvents(watcher, {buffer_.data(), size});
      if (before < events && watcher.events >= events) --behind;
    });
  }
  return bytes;
}

}  // namespace berth::bench
