// InFlightEvents records the pods that are being tried and the events received meanwhile: an event
// that would have requeued a pod must not be lost because the pod was not in the queue.
//
// One list holds both, in order: the events after a pod's mark are those that concern it.
#pragma once

#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/measurements.h"

namespace berth::scheduler::queue {

class InFlightEvents {
 public:
  // A binding may take minutes while many events arrive. Beyond this limit, the oldest half is
  // replaced by one wildcard event.
  static constexpr size_t kMaxEvents = 10'000;

  // `measurements` may be null and must outlive this otherwise.
  explicit InFlightEvents(framework::Measurements* measurements = nullptr)
      : measurements_(measurements) {}

  bool empty() const { return marks_.empty(); }
  size_t size() const { return marks_.size(); }
  size_t events() const { return events_; }
  bool Contains(const std::string& uid) const { return marks_.contains(uid); }

  // Returns false if the pod is in flight already.
  bool Begin(const std::string& uid);
  // Removes the pod, and the events that no other pod needs. Ignores unknown pods.
  void Done(const std::string& uid);
  // Records the event if any pod is in flight.
  void Note(const framework::ClusterEvent& event);

  // Calls visit(const ClusterEvent&) for each event since Begin, until it returns false. The pod
  // must be in flight.
  template <typename Visit>
  void ForEachSince(const std::string& uid, Visit&& visit) const {
    for (auto item = std::next(marks_.at(uid)); item != items_.end(); ++item) {
      if (item->event != nullptr && !visit(*item->event)) return;
    }
  }

 private:
  struct Item {
    std::string uid;                                       // Of the pod whose mark it is.
    std::unique_ptr<const framework::ClusterEvent> event;  // Null: it is a mark.
  };

  void ForgetOldest();
  void Count(const auto& what, int delta) const {
    if (measurements_ != nullptr)
      measurements_->InFlightChanged(framework::EventLabel(what), delta);
  }

  framework::Measurements* measurements_;
  std::list<Item> items_;
  std::unordered_map<std::string_view, std::list<Item>::iterator> marks_;  // By uid.
  size_t events_ = 0;
};

}  // namespace berth::scheduler::queue
