// The documents about the queue: Queue, PodList and SearchResult; and QueueFlow, what moved between
// two snapshots.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>

#include "api/json/json.h"
#include "base/time.h"
#include "inspect/group_sentences.h"
#include "inspect/mirror.h"
#include "inspect/node_documents.h"
#include "inspect/profile_table.h"
#include "inspect/queue_snapshot.h"
#include "inspect/request.h"

namespace berth::inspect {

// QueueFlow compares snapshots: how many pods moved from where to where between the last two.
//
// Pods that came and were bound in between are in neither; the counter of binds tells how many.
class QueueFlow {
 public:
  // Places of pods besides the queues.
  static constexpr size_t kNew = kQueues, kBound = kQueues + 1, kDeleted = kQueues + 2;
  static constexpr size_t kPlaces = kQueues + 3;

  // `binds` counts all binds so far.
  void Add(const Mirror& mirror, const QueueSnapshot& snapshot, uint64_t binds);
  // Adds counts, interval and moves.
  void AddTo(api::JsonObject& json) const;

 private:
  using Moves = std::array<std::array<uint64_t, kPlaces>, kPlaces>;

  // Every pod is tried before it is bound or rejected.
  void Count(size_t from, size_t to, uint64_t pods = 1);

  struct Known {
    api::ObjectKey key;
    QueueName queue;
  };
  bool started_ = false;
  Instant last_;
  uint64_t binds_ = 0;
  std::unordered_map<std::string, Known> pods_;  // By uid.
  QueueCounts counts_ = {};
  Duration interval_ = Duration::Seconds(1);
  Moves moves_ = {};
};

api::JsonObject QueueJson(const QueueSnapshot& snapshot, const QueueFlow& flow,
                          const ProfileTable& profiles, GroupSentences& sentences);
Response PodListResponse(const Mirror& mirror, const QueueSnapshot& snapshot,
                         const ProfileTable& profiles, const Request& request);
Response SearchResponse(const Mirror& mirror, const QueueSnapshot& snapshot, const NodeList& nodes,
                        const Request& request);

}  // namespace berth::inspect
