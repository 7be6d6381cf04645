// Diagnosis tells why a pod fits on no node: what was said about each, and the sentence that users
// see.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/ids.h"
#include "framework/verdict.h"

namespace berth {

struct Diagnosis {
  size_t all_nodes = 0;
  std::vector<std::pair<NodeRow, Verdict>> nodes;       // The nodes that were judged.
  Verdict absent{Code::kUnschedulableAndUnresolvable};  // What holds for the others.
  std::string pre_filter_message;                       // Replaces the count of reasons.
  std::string post_filter_message;
  std::set<std::string, std::less<>> rejected_by;  // Plugins that said no.
  std::set<std::string, std::less<>> pending_on;   // Plugins that said Pending.

  void Add(NodeRow node, Verdict verdict);
  void Blame(const Verdict& verdict);

  // The verdict that holds for `node`.
  const Verdict& Of(NodeRow node) const;

  // "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)."
  std::string Message() const;
};

}  // namespace berth
