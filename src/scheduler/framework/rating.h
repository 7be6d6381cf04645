// A Rating is how a scorer rates nodes for one pod, as data. The plugin says it
// (ScorePlugin::Rate); every use of the score is an interpretation, the same for all plugins.
//
// rating.cc scores many nodes or one; search_rules.cc turns ratings into a search. Like conditions,
// they are made for each use and refer to what must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "scheduler/framework/scored_resource.h"
#include "scheduler/framework/scores.h"
#include "scheduler/framework/verdict.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::framework {

class Cycle;

// How scores are mapped to 0..100.
enum class Scale : uint8_t {
  kNone,             // They are.
  kHighest,          // In proportion to the highest.
  kHighestReversed,  // The same, and the highest becomes 0.
  kOwn,              // By ScorePlugin::Normalize.
};

// A number that depends on what a node is: its labels, its taints.
class NodeValue {
 public:
  virtual ~NodeValue() = default;
  virtual int64_t Of(const Cycle& cycle, model::NodeRow node) const = 0;
  // Appends what it depends on besides the node, so that pods with equal keys share the values of
  // all nodes.
  virtual void AppendValueKey(const Cycle& cycle, std::string& key) const = 0;
};
struct StaticScore {
  const NodeValue* value = nullptr;
};

// How much of the resources is used with the pod, on average by weight.
struct UsageScore {
  enum class Curve : uint8_t {
    kLeast,   // The less is used, the better.
    kMost,    // The more is used, the better.
    kBroken,  // By `shape`; resources that score 0 are not part of the average.
  };
  std::span<const ScoredResource> resources;
  Curve curve = Curve::kLeast;
  std::span<const ShapePoint> shape;  // Of kBroken.
};

// How much more evenly the resources are used with the pod than without it.
struct BalanceScore {
  std::span<const ScoredResource> resources;
};

// All nodes are rated alike.
struct EqualScores {};

// The plugin has nothing to score in this cycle: PreScore skips.
struct NoScores {};

// The virtual functions of the plugin say it.
struct Unrated {};

using Rating = std::variant<Unrated, NoScores, EqualScores, StaticScore, UsageScore, BalanceScore>;

// --- interpretations ---

// Writes the score of each of `nodes` before it is scaled to out[row].
void ScoreNodes(const Rating& rating, const Cycle& cycle, const model::NodeMask& nodes,
                std::span<int64_t> out);
// Returns that of one node.
int64_t ScoreNode(const Rating& rating, const Cycle& cycle, model::NodeRow node);

// Maps scores[row], for the rows of `feasible`, to 0..100; not those of Scale::kOwn.
void Normalize(Scale scale, const model::NodeMask& feasible, std::span<int64_t> scores);

}  // namespace berth::scheduler::framework
