// LeaseCandidate makes this process a candidate of a coordinated leader election: it creates its
// LeaseCandidate (coordination.k8s.io/v1beta1) and renews it, every five minutes and whenever the
// API server's controller asks for it (spec.pingTime). The controller elects among the candidates
// that respond; LeaderElector then finds the lease assigned to this process.
//
// As in client-go, nothing is written before the candidate has been listed, so a server without
// the resource is never written to. The object is not deleted at the end: the controller collects
// candidates that were not renewed for half an hour.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/time.h"
#include "client/election_log.h"
#include "client/object_watch.h"
#include "client/rest_client.h"
#include "net/executor.h"

namespace berth::client {

struct LeaseCandidateOptions {
  std::string name_space;
  std::string name;  // The identity in the election: the holder of the lease has this name.
  std::string lease_name;
  std::string binary_version;  // "1.36.0"
  std::string emulation_version;
  std::string strategy = "OldestEmulationVersion";
  bool watch_list = true;
  uint64_t seed = 1;  // Of the watch's jitter.
};

class LeaseCandidate {
 public:
  // All references must outlive the candidate; the client's callbacks run on the executor. `log`
  // may be empty.
  LeaseCandidate(RestClient& client, net::Executor& executor, const Clock& wall_clock,
                 LeaseCandidateOptions options, ElectionLog log);
  ~LeaseCandidate();  // On the executor's thread. Leaves the object on the server.
  LeaseCandidate(const LeaseCandidate&) = delete;
  LeaseCandidate& operator=(const LeaseCandidate&) = delete;

  // On the executor's thread.
  void Start();
  // Reports whether the candidate has been listed. Any thread.
  bool synced() const { return synced_; }

 private:
  void OnChange();
  bool IsPinged() const;
  // Ensures the object: now, or once the write under way has ended.
  void Ensure();
  void EnsureAfter(Duration delay);
  void OnWritten(net::HttpResult<net::HttpResponse> result);
  RestRequest CreateRequest() const;
  RestRequest RenewRequest() const;
  Instant RenewTime() const;
  void Log(const ElectionLogLine& line) const;

  RestClient& client_;
  net::Executor& executor_;
  const Clock& wall_clock_;
  const LeaseCandidateOptions options_;
  const ElectionLog log_;
  net::CallbackGuard callback_guard_;
  ObjectWatch watch_;
  std::atomic<bool> synced_ = false;

  RestRequest under_way_;  // The write, for messages.
  bool is_writing_ = false;
  bool write_again_ = false;
  Duration retry_delay_;
  net::Executor::TimerId timer_ = 0;
  Instant due_;  // When the timer fires, if it is set.
};

}  // namespace berth::client
