// PodTable holds the pods Berth knows of: waiting, assumed to run on a node, or seen to run on one.
//
// A pod is known by namespace and name; a new uid under the same name is a new pod. Ids are reused
// after a pod is gone.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "api/pod.h"
#include "cluster/ids.h"
#include "cluster/labels.h"

namespace berth {

enum class PodState : uint8_t {
  kPending,  // On no node.
  kAssumed,  // Decided to run on a node, not yet confirmed by the API.
  kBound,    // The API says it is on a node.
};

struct PodRecord {
  PodId id;
  std::shared_ptr<const api::Pod> object;  // As last seen from the API.
  PodClassId pod_class;
  LabelSetId labels;
  PodState state = PodState::kPending;
  NodeRow node;  // Unless pending; the row need not be present.

  const std::string& uid() const { return object->metadata.uid; }
  api::ObjectKey key() const { return {object->metadata.namespace_, object->metadata.name}; }
  bool terminating() const { return object->metadata.deletion_timestamp.has_value(); }
};

class PodTable {
 public:
  PodId Find(const std::string& namespace_, const std::string& name) const;
  const PodRecord& Get(PodId id) const { return records_[id.index()]; }
  PodRecord& Get(PodId id) { return records_[id.index()]; }
  bool Contains(PodId id) const {
    return id.index() < records_.size() && records_[id.index()].id.valid();
  }

  // Adds an empty record under the object's key, which must be free.
  PodRecord& Add(std::shared_ptr<const api::Pod> object);
  void Remove(PodId id);

  size_t size() const { return by_key_.size(); }

  // Calls visit(const PodRecord&) for each pod, by id.
  template <typename Visit>
  void ForEach(Visit&& visit) const {
    for (const PodRecord& record : records_) {
      if (record.id.valid()) visit(record);
    }
  }

 private:
  std::deque<PodRecord> records_;  // A deque, so that records do not move.
  std::vector<PodId> free_;
  std::unordered_map<std::string, PodId> by_key_;
};

}  // namespace berth
