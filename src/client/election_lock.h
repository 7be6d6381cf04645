// ElectionLock is the record on a server that says who leads.
//
// All on the loop's thread. One operation at a time.
#pragma once

#include <expected>
#include <functional>
#include <string>

#include "base/time.h"

namespace berth::client {

struct LeaderRecord {
  std::string holder;  // Empty: nobody.
  int lease_duration_seconds = 0;
  Instant acquire_time;
  Instant renew_time;
  int transitions = 0;

  friend bool operator==(const LeaderRecord&, const LeaderRecord&) = default;
};

struct LockFailure {
  bool not_found = false;
  std::string message;
};

class ElectionLock {
 public:
  using Read = std::function<void(std::expected<LeaderRecord, LockFailure>)>;
  using Written = std::function<void(std::expected<void, LockFailure>)>;

  virtual ~ElectionLock() = default;
  virtual void Get(Read read) = 0;
  virtual void Create(const LeaderRecord& record, Written written) = 0;
  // Fails if the record is no longer what Get, Create or Update saw last.
  virtual void Update(const LeaderRecord& record, Written written) = 0;
  // Gives up what is under way; its callback need not be called.
  virtual void Cancel() = 0;
  virtual std::string name() const = 0;  // "kube-system/kube-scheduler"
};

}  // namespace berth::client
