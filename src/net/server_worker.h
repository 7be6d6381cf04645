// ServerWorker is one thread of HttpServer and its connections.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "net/http_server.h"

namespace berth::net {

class ServerConnection;

struct ServerSettings {
  ServerOptions options;
  RequestHandler handler;
};

// ConnectionCount counts the connections of a server and can wait until there are none.
class ConnectionCount {
 public:
  size_t value() const { return count_.load(std::memory_order_relaxed); }
  void Add() { count_.fetch_add(1); }
  void Subtract();
  // Returns false if some are left after `limit`.
  bool WaitForNone(std::chrono::milliseconds limit);

 private:
  std::atomic<size_t> count_ = 0;
  std::mutex mutex_;
  std::condition_variable none_;
};

class ServerWorker : public std::enable_shared_from_this<ServerWorker> {
 public:
  ServerWorker(std::shared_ptr<const ServerSettings> settings,
               std::shared_ptr<ConnectionCount> count);

  const ServerSettings& settings() const { return *settings_; }
  boost::asio::io_context& context() { return context_; }
  // Returns how many connections the worker has.
  size_t load() const { return load_.load(std::memory_order_relaxed); }

  void Start();
  // All but Remove may be called on any thread.
  void Adopt(boost::asio::ip::tcp::socket socket);
  void Drain();
  void CloseAll();
  // Joins the thread, which ends when all connections are closed.
  void Join();
  // Called by a closed connection.
  void Remove(ServerConnection& connection);

 private:
  const std::shared_ptr<const ServerSettings> settings_;
  const std::shared_ptr<ConnectionCount> count_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::atomic<size_t> load_ = 0;
  bool draining_ = false;
  std::unordered_map<ServerConnection*, std::shared_ptr<ServerConnection>> connections_;
  std::thread thread_;
};

}  // namespace berth::net
