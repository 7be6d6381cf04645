// Adapters for rules that are simplest to say about one node: derive from NodeFilter or NodeScorer
// instead of FilterPlugin or ScorePlugin, and the set-at-a-time form follows.
#pragma once

#include "framework/cycle.h"
#include "framework/plugin.h"

namespace berth {

class NodeFilter : public FilterPlugin {
 public:
  // Success if the pod may run on `node`; a rejection with its reasons, or Error, if not.
  virtual Verdict FilterNode(const Cycle& cycle, NodeRow node) const = 0;

  Verdict Filter(const Cycle& cycle, NodeMask& nodes) const final;
  Verdict Explain(const Cycle& cycle, NodeRow node) const final { return FilterNode(cycle, node); }
};

class NodeScorer : public ScorePlugin {
 public:
  // The score of `node`: in 0..100, or anything if the plugin normalizes.
  virtual int64_t ScoreNode(const Cycle& cycle, NodeRow node) const = 0;

  Verdict Score(const Cycle& cycle, const NodeMask& nodes, std::span<int64_t> out) const final;
};

}  // namespace berth
