// ExplanationSummary is what a person wants to see of an Explanation: equal reasons grouped, the
// best nodes, the best candidates for preemption. Its size does not grow with the cluster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/engine/decision.h"

namespace berth::cmd {

struct ExplanationSummary {
  static constexpr size_t kExamples = 3;   // Nodes named in a group of reasons.
  static constexpr size_t kTop = 10;       // Nodes with scores, and candidates.
  static constexpr size_t kSentences = 5;  // Details in a group of reasons.

  // Nodes that the same is told about beside the reasons.
  struct Details {
    std::string text;
    size_t count = 0;
    std::vector<std::string> examples;
  };

  // Nodes that were rejected for the same reasons.
  struct Rejection {
    std::string plugin;
    std::string code;
    std::vector<std::string> reasons;
    size_t count = 0;
    std::vector<std::string> examples;
    std::vector<Details> details;   // Most nodes first.
    size_t with_other_details = 0;  // Nodes that something else yet is told about.
  };

  struct Scores {
    std::string node;
    int64_t total = 0;
    std::map<std::string, int64_t> plugins;
    bool chosen = false;
  };

  struct Candidate {
    std::string node;
    std::vector<scheduler::engine::Explanation::Preemption::Victim> victims;
    int64_t budget_violations = 0;
    bool chosen = false;
    std::string why_not;  // Why another node was chosen.
  };

  size_t nodes = 0;
  size_t feasible = 0;
  std::string pre_filter;  // What PreFilter said, if it rejected the pod.
  std::string pre_filter_plugin;
  std::vector<Rejection> rejections;     // Most nodes first.
  std::vector<std::string> plugins;      // That scored, in order.
  std::map<std::string, int64_t> equal;  // Plugins that gave all feasible nodes the same score.
  std::vector<Scores> scores;  // Highest total first; the chosen node is always among them.
  bool nominated_node_fits = false;
  std::string why;  // Why the chosen node won over the next best.

  bool preemption_tried = false;
  bool preemption_eligible = false;
  int32_t priority = 0;  // Of the pod that room is made for.
  size_t candidate_count = 0;
  std::vector<Candidate> candidates;     // The chosen one first.
  std::vector<std::string> post_filter;  // What PostFilter said.
};

// `chosen` is the node that the pod went to; empty if to none. `cluster_size` counts all nodes.
ExplanationSummary Summarize(const scheduler::engine::Explanation& explanation,
                             const std::string& chosen, size_t cluster_size);

}  // namespace berth::cmd
