// ExplanationSummary is an Explanation reduced to a size that does not grow with the cluster: equal
// reasons are grouped, and only the best nodes and preemption candidates remain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "scheduler/engine/decision.h"

namespace berth::explain {

struct ExplanationSummary {
  static constexpr size_t kExamples = 3;   // Nodes named in a group of reasons.
  static constexpr size_t kTop = 10;       // Nodes with scores, and candidates.
  static constexpr size_t kSentences = 5;  // Details in a group of reasons.

  // Nodes with the same details.
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
    size_t with_other_details = 0;  // Nodes whose details are not listed.
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
    std::string why_not;  // Why the chosen node is better.
  };

  size_t nodes = 0;
  size_t feasible = 0;
  std::string pre_filter;  // Message of the PreFilter plugin that rejected the pod.
  std::string pre_filter_plugin;
  std::vector<Rejection> rejections;     // Most nodes first.
  std::vector<std::string> plugins;      // Score plugins, in order.
  std::map<std::string, int64_t> equal;  // Plugins that score all feasible nodes equally.
  std::vector<Scores> scores;            // Highest total first; always includes the chosen node.
  bool nominated_node_fits = false;
  std::string why;  // Why the chosen node scores higher than the next best.

  bool preemption_tried = false;
  bool preemption_eligible = false;
  int32_t priority = 0;  // Of the preemptor.
  size_t candidate_count = 0;
  std::vector<Candidate> candidates;     // The chosen one first.
  std::vector<std::string> post_filter;  // Reasons given by PostFilter.
};

// `chosen` is the selected node, or empty. `cluster_size` is the number of all nodes.
ExplanationSummary Summarize(const scheduler::engine::Explanation& explanation,
                             const std::string& chosen, size_t cluster_size);

}  // namespace berth::explain
