// GroupSentences says of the groups of the queue what decides about them, in one sentence each.
//
// A sentence costs some milliseconds in a large cluster, so each request finds a few: those of the
// first groups that have none, or an old one. The others follow with the next requests.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "base/time.h"
#include "inspect/mirror.h"
#include "inspect/profile_table.h"
#include "inspect/queue_snapshot.h"

namespace berth::inspect {

class GroupSentences {
 public:
  static constexpr size_t kPerRequest = 10;
  static constexpr Duration kMaxAge = Duration::Seconds(10);

  // Both must outlive this.
  GroupSentences(Mirror& mirror, const ProfileTable& profiles)
      : mirror_(mirror), profiles_(profiles) {}

  // Begins a request at the date `now`, and forgets groups that are gone.
  void Begin(Instant now);
  // Returns the sentence about a group by its oldest pod; empty if it is not known yet.
  std::string Of(const PodRow& oldest);

 private:
  struct Known {
    std::string uid;  // Of the pod.
    std::string sentence;
    Instant found, asked;
  };

  Mirror& mirror_;
  const ProfileTable& profiles_;
  std::map<std::string, Known> known_;  // By queue, group and message.
  Instant now_;
  size_t left_ = 0;
};

}  // namespace berth::inspect
