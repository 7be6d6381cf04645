// StoreWriter executes the engine's writes on the API, with the effect of kube-scheduler's
// requests, and returns their results; EventRecorder writes the engine's events.
//
// Writes are made at once, on the caller's thread.
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "apiserver/registry/api.h"
#include "base/time.h"
#include "runtime/embedded/store_reflector.h"
#include "runtime/event_series.h"
#include "scheduler/framework/writes.h"

namespace berth::runtime::embedded {

class StoreWriter {
 public:
  // `api` must outlive the writer.
  explicit StoreWriter(apiserver::registry::Api& api);

  // Executes a write other than an event; EventRecorder writes those.
  scheduler::framework::WriteResult Execute(const scheduler::framework::ApiWrite& write);

 private:
  scheduler::framework::WriteResult Do(const scheduler::framework::BindPod& bind);
  scheduler::framework::WriteResult Do(const scheduler::framework::PatchPodStatus& patch);
  scheduler::framework::WriteResult Do(const scheduler::framework::PatchPodGroupStatus& patch);
  scheduler::framework::WriteResult Do(const scheduler::framework::DeletePod& remove);
  scheduler::framework::WriteResult Do(const scheduler::framework::UpdatePersistentVolume& update);
  scheduler::framework::WriteResult Do(
      const scheduler::framework::UpdatePersistentVolumeClaim& update);
  scheduler::framework::WriteResult Do(const scheduler::framework::CreateResourceClaim& create);
  scheduler::framework::WriteResult Do(const scheduler::framework::GetResourceClaim& get);
  scheduler::framework::WriteResult Do(const scheduler::framework::UpdateResourceClaim& update);
  scheduler::framework::WriteResult Do(
      const scheduler::framework::UpdateResourceClaimStatus& update);
  scheduler::framework::WriteResult Do(
      const scheduler::framework::UnreserveResourceClaim& unreserve);
  scheduler::framework::WriteResult Do(const scheduler::framework::DeleteResourceClaim& remove);
  scheduler::framework::WriteResult Do(const scheduler::framework::RecordEvent& event);
  scheduler::framework::WriteResult Do(const scheduler::framework::CallExtender& call);

  // Replaces the claim, or its status.
  scheduler::framework::WriteResult Replace(const api::ResourceClaim& claim,
                                            std::string_view subresource);

  apiserver::registry::Api& api_;
  const api::scheme::Kind& pods_;
  const api::scheme::Kind& volumes_;
  const api::scheme::Kind& claims_;
  const api::scheme::Kind& resource_claims_;
};

// EventRecorder writes the engine's events as events.k8s.io/v1.
//
// Nothing waits for an event, so they queue while there is more urgent work. Repeated events become
// a series (event_series.h).
class EventRecorder {
 public:
  // `api` must outlive the recorder. `instance` names this process in events.
  EventRecorder(apiserver::registry::Api& api, std::string instance, Log log);

  void Add(scheduler::framework::RecordEvent event);
  // Returns the number of pending writes that is known now.
  size_t waiting() const;
  // Writes up to `limit` of the queued events, oldest first, and the counts of series that are due.
  void Write(size_t limit);

 private:
  struct Waiting {
    scheduler::framework::RecordEvent event;
    Instant at;
  };

  void Execute(const EventWrite& write);
  void Create(const ReportedEvent& event);

  apiserver::registry::Api& api_;
  const Log log_;
  const api::scheme::Kind& events_;
  EventSeries series_;
  std::deque<Waiting> waiting_;
  bool failed_ = false;
};

}  // namespace berth::runtime::embedded
