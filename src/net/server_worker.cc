#include "net/server_worker.h"

#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "net/server_connection.h"

namespace berth::net {

namespace asio = boost::asio;

void ConnectionCount::Subtract() {
  if (count_.fetch_sub(1) > 1) return;
  const std::lock_guard lock(mutex_);
  none_.notify_all();
}

bool ConnectionCount::WaitForNone(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, limit, [&] { return count_.load() == 0; });
}

ServerWorker::ServerWorker(std::shared_ptr<const ServerSettings> settings,
                           std::shared_ptr<ConnectionCount> count)
    : settings_(std::move(settings)),
      count_(std::move(count)),
      work_(asio::make_work_guard(context_)) {}

void ServerWorker::Start() {
  thread_ = std::thread([this] { context_.run(); });
}

void ServerWorker::Adopt(asio::ip::tcp::socket socket) {
  load_.fetch_add(1);
  count_->Add();
  asio::post(context_, [self = shared_from_this(), moved = std::move(socket)]() mutable {
    auto connection = std::make_shared<ServerConnection>(self, std::move(moved));
    self->connections_.emplace(connection.get(), connection);
    if (self->draining_) return connection->Close();
    connection->Start();
  });
}

void ServerWorker::Remove(ServerConnection& connection) {
  connections_.erase(&connection);
  load_.fetch_sub(1);
  count_->Subtract();
}

void ServerWorker::Drain() {
  asio::post(context_, [this] {
    draining_ = true;
    // A copy, because closed connections remove themselves from the map.
    std::vector<std::shared_ptr<ServerConnection>> all;
    for (const auto& [key, connection] : connections_) all.push_back(connection);
    for (const auto& connection : all) connection->Drain();
  });
}

void ServerWorker::CloseAll() {
  asio::post(context_, [this] {
    draining_ = true;
    while (!connections_.empty()) {
      const auto connection = connections_.begin()->second;
      connection->Close();
    }
  });
}

void ServerWorker::Join() {
  work_.reset();
  if (thread_.joinable()) thread_.join();
}

}  // namespace berth::net
