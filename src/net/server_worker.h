// ServerWorker is one thread of HttpServer and its connections.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <thread>
#include <unordered_map>

#include "net/connection_table.h"
#include "net/http_server.h"

namespace berth::net {

class ServerConnection;

// What the workers of a server share.
struct ServerSettings {
  ServerOptions options;
  RequestHandler handler;
  std::shared_ptr<ConnectionTable> connections;
  std::shared_ptr<BodyBudget> body_budget;
};

class ServerWorker : public std::enable_shared_from_this<ServerWorker> {
 public:
  explicit ServerWorker(std::shared_ptr<const ServerSettings> settings);

  const ServerSettings& settings() const { return *settings_; }
  boost::asio::io_context& context() { return context_; }
  // Returns how many connections the worker has.
  size_t load() const { return load_.load(std::memory_order_relaxed); }

  void Start();
  // All but Remove may be called on any thread.
  // Serves the connection, unless there are too many.
  void Adopt(boost::asio::ip::tcp::socket socket);
  void Drain();
  void CloseAll();
  // Joins the thread, which ends when all connections are closed.
  void Join();
  // Called by a closed connection.
  void Remove(ServerConnection& connection);

 private:
  const std::shared_ptr<const ServerSettings> settings_;
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::atomic<size_t> load_ = 0;
  bool draining_ = false;
  std::unordered_map<ServerConnection*, std::shared_ptr<ServerConnection>> connections_;
  std::thread thread_;
};

}  // namespace berth::net
