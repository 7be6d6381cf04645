// ConnectionTable holds one record for each connection of a server and bounds their number: beyond
// it, a new connection replaces an old one.
//
// The client address with the most connections gives one up, and of its connections the one that is
// least in use: a client that holds many cannot keep others out, whatever it does with them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "net/steady_time.h"

namespace berth::net {

// How much a connection is in use, in the order in which connections are given up.
enum class ConnectionUse : uint8_t {
  kNew,   // No request yet.
  kIdle,  // Between requests, or waiting for the client to read a response.
  kBusy,  // A handler has a request, or streams a response.
};

// ConnectionRecord is what the table knows about a connection.
class ConnectionRecord {
 public:
  // `number` identifies the connection in its server. `close` closes it, later; it is called on any
  // thread.
  ConnectionRecord(uint64_t number, std::string client, std::function<void()> close, SteadyTime now)
      : number_(number),
        client_(std::move(client)),
        close_(std::move(close)),
        since_(now.time_since_epoch()) {}

  // `since` is when the connection was last used.
  void Note(ConnectionUse use, SteadyTime since) {
    use_.store(use, std::memory_order_relaxed);
    since_.store(since.time_since_epoch(), std::memory_order_relaxed);
  }

  uint64_t number() const { return number_; }
  const std::string& client() const { return client_; }
  ConnectionUse use() const { return use_.load(std::memory_order_relaxed); }
  SteadyTime since() const { return SteadyTime(since_.load(std::memory_order_relaxed)); }
  void Close() const { close_(); }

 private:
  const uint64_t number_;
  const std::string client_;
  const std::function<void()> close_;
  std::atomic<ConnectionUse> use_ = ConnectionUse::kNew;
  std::atomic<SteadyTime::duration> since_;
};

// May be used on any thread.
class ConnectionTable {
 public:
  explicit ConnectionTable(size_t limit) : limit_(limit) {}

  // Returns a new number for a record, never 0.
  uint64_t NextNumber() { return ++last_number_; }
  // Adds the record of a new connection. If there are too many, closes another one; returns false,
  // and adds nothing, if the new one is to be closed instead.
  bool Add(const std::shared_ptr<ConnectionRecord>& record);
  // Removes the record of a closed connection.
  void Remove(const std::shared_ptr<ConnectionRecord>& record);

  // Closes the connection that is least in use, unless all are busy. For lack of descriptors.
  void CloseOne();

  // Returns how many connections there are, including those that are being closed.
  size_t open() const { return open_.load(std::memory_order_relaxed); }
  // Returns false if some are left after `limit`.
  bool WaitForNone(std::chrono::milliseconds limit);

 private:
  // Returns the connection to give up if `client` gets another one; null if that is the new one.
  std::shared_ptr<ConnectionRecord> FindVictim(const std::string& client) const;
  std::shared_ptr<ConnectionRecord> LeastUsed(size_t connections, const std::string& newest) const;
  // Does nothing if the record is not in the table any more.
  void Forget(const ConnectionRecord& record);

  const size_t limit_;
  std::atomic<uint64_t> last_number_ = 0;
  std::atomic<size_t> open_ = 0;
  std::mutex mutex_;
  std::condition_variable none_;
  // By number. Connections that are being closed have no record any more.
  std::map<uint64_t, std::shared_ptr<ConnectionRecord>> records_;
  std::map<std::string, size_t> per_client_;
};

}  // namespace berth::net
