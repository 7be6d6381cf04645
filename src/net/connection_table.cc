#include "net/connection_table.h"

#include <algorithm>
#include <tuple>

namespace berth::net {

bool ConnectionTable::Add(const std::shared_ptr<ConnectionRecord>& record) {
  std::shared_ptr<ConnectionRecord> victim;
  {
    const std::lock_guard lock(mutex_);
    if (records_.size() >= limit_) {
      victim = FindVictim(record->client());
      if (victim == nullptr) return false;
      Forget(*victim);
    }
    records_.emplace(record->number(), record);
    ++per_client_[record->client()];
    open_.fetch_add(1);
  }
  if (victim != nullptr) victim->Close();
  return true;
}

void ConnectionTable::Remove(const std::shared_ptr<ConnectionRecord>& record) {
  const std::lock_guard lock(mutex_);
  Forget(*record);
  if (open_.fetch_sub(1) == 1) none_.notify_all();
}

void ConnectionTable::Forget(const ConnectionRecord& record) {
  if (records_.erase(record.number()) == 0) return;
  const auto client = per_client_.find(record.client());
  if (--client->second == 0) per_client_.erase(client);
}

void ConnectionTable::CloseOne() {
  std::shared_ptr<ConnectionRecord> victim;
  {
    const std::lock_guard lock(mutex_);
    size_t most = 0;
    for (const auto& [client, count] : per_client_) most = std::max(most, count);
    victim = LeastUsed(most, "");
    if (victim == nullptr || victim->use() == ConnectionUse::kBusy) return;
    Forget(*victim);
  }
  victim->Close();
}

std::shared_ptr<ConnectionRecord> ConnectionTable::FindVictim(const std::string& client) const {
  const auto own = per_client_.find(client);
  const size_t with_new = (own == per_client_.end() ? 0 : own->second) + 1;
  size_t most = with_new;
  for (const auto& [other, count] : per_client_) most = std::max(most, count);
  auto victim = LeastUsed(most, client);
  if (victim == nullptr || victim->use() != ConnectionUse::kBusy) return victim;
  // A busy connection yields only to a client with fewer connections.
  return most > with_new ? victim : nullptr;
}

// Returns the least used connection of the clients with that many connections, where `newest` has
// one more than it is recorded with.
std::shared_ptr<ConnectionRecord> ConnectionTable::LeastUsed(size_t connections,
                                                             const std::string& newest) const {
  const auto rank = [](const ConnectionRecord& record) {
    return std::tuple(record.use(), record.since());
  };
  std::shared_ptr<ConnectionRecord> least;
  for (const auto& [number, record] : records_) {
    const size_t count =
        per_client_.at(record->client()) + (record->client() == newest ? size_t{1} : size_t{0});
    if (count < connections) continue;
    if (least == nullptr || rank(*record) < rank(*least)) least = record;
  }
  return least;
}

bool ConnectionTable::WaitForNone(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return none_.wait_for(lock, limit, [&] { return open_.load() == 0; });
}

}  // namespace berth::net
