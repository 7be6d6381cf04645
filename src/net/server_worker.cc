#include "net/server_worker.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <string>
#include <utility>
#include <vector>

#include "net/server_connection.h"

namespace berth::net {

namespace asio = boost::asio;

namespace {

// Returns the address of the peer; one that is mapped to IPv6 as IPv4.
asio::ip::address PeerAddress(const asio::ip::tcp::socket& socket,
                              boost::system::error_code& error) {
  asio::ip::address address = socket.remote_endpoint(error).address();
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

// Returns the name under which the connections of a client are counted. The owner of an IPv6
// address usually has all addresses with the same first 64 bits.
std::string ClientOf(const asio::ip::address& address) {
  if (!address.is_v6()) return address.to_string();
  constexpr size_t kInterfaceBytes = 8;
  auto bytes = address.to_v6().to_bytes();
  std::fill(bytes.end() - kInterfaceBytes, bytes.end(), uint8_t{0});
  return asio::ip::address_v6(bytes).to_string();
}

}  // namespace

ServerWorker::ServerWorker(std::shared_ptr<const ServerSettings> settings)
    : settings_(std::move(settings)), work_(asio::make_work_guard(context_)) {}

void ServerWorker::Start() {
  thread_ = std::thread([this] { context_.run(); });
}

void ServerWorker::Adopt(asio::ip::tcp::socket socket) {
  boost::system::error_code error;
  const asio::ip::address address = PeerAddress(socket, error);
  // The peer may have closed the connection since it was accepted.
  if (error) return;
  const uint64_t number = settings_->connections->NextNumber();
  const auto connection =
      std::make_shared<ServerConnection>(shared_from_this(), std::move(socket), address, number);
  const auto close = [weak = std::weak_ptr(connection)] {
    if (const auto open = weak.lock()) open->CloseLater();
  };
  auto record = std::make_shared<ConnectionRecord>(number, ClientOf(address), close, SteadyNow());
  if (!settings_->connections->Add(record)) return;
  connection->Track(std::move(record));
  load_.fetch_add(1);
  asio::post(context_, [self = shared_from_this(), connection] {
    self->connections_.emplace(connection.get(), connection);
    if (self->draining_) return connection->Close();
    connection->Start();
  });
}

void ServerWorker::Remove(ServerConnection& connection) {
  settings_->connections->Remove(connection.record());
  load_.fetch_sub(1);
  connections_.erase(&connection);
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
