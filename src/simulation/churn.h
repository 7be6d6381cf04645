// Churn runs an engine through pods that share nothing with any other: each brings resource names,
// labels, topology keys, selectors, a namespace, a claim and ports that no other object has, is
// scheduled or not, and is deleted. Nodes and volumes of that kind come and go with them.
//
// What the engine holds at the end must not depend on how many there were.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/object_fwd.h"
#include "base/time.h"
#include "scheduler/engine/engine.h"

namespace berth::simulation {

class Churn {
 public:
  struct Options {
    size_t nodes = 500;
    size_t alive = 100;  // A pod is deleted when there are so many newer ones.
    bool paranoid = false;
  };

  explicit Churn(const Options& options);
  ~Churn();

  // Adds a pod and what belongs to it, lets the engine schedule, and deletes the oldest pod.
  void Step();
  // Deletes everything but the initial nodes, and drops the engine's caches.
  void Clear();

  // What the engine holds.
  struct Counts {
    size_t symbols = 0;
    size_t scalar_names = 0;
    size_t scalar_columns = 0;
    size_t topology_keys = 0;
    size_t pod_classes = 0;
    size_t pod_labels = 0;
    size_t counters = 0;
    size_t affinity_terms = 0;
    size_t taint_sets = 0;
    friend bool operator==(const Counts&, const Counts&) = default;
  };
  Counts counts() const;
  static std::string ToString(const Counts& counts);

  // How many pods were bound so far.
  size_t bound() const { return bound_; }
  const scheduler::engine::Engine& engine() const { return *engine_; }

 private:
  // The objects that come and go together.
  using Group = std::vector<api::Object>;

  void Put(const api::Object& object);
  void Delete(const api::Object& object);
  // Executes the engine's commands, and what follows from them, until there are none.
  void Settle();
  void DeleteOldest();

  const Options options_;
  std::unique_ptr<scheduler::engine::Engine> engine_;
  Instant now_;
  size_t next_ = 0;
  size_t bound_ = 0;
  std::deque<Group> groups_;
  std::map<std::string, std::shared_ptr<const api::Pod>> pods_;  // By uid, as last reported.
};

}  // namespace berth::simulation
