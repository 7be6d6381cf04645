// Diagnosis tells why a pod fits on no node: what was said about each, and the sentence that users
// see.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "cluster/ids.h"
#include "framework/verdict.h"
#include "framework/verdict_table.h"

namespace berth {

class Diagnosis {
 public:
  size_t all_nodes = 0;
  Verdict absent{
      Code::kUnschedulableAndUnresolvable};  // What holds for nodes that were not judged.
  std::string pre_filter_message;            // Replaces the count of reasons.
  std::string post_filter_message;
  std::set<std::string, std::less<>> rejected_by;  // Plugins that said no.
  std::set<std::string, std::less<>> pending_on;   // Plugins that said Pending.

  Diagnosis() = default;
  // Verdicts may then be added by their number in `known`.
  explicit Diagnosis(VerdictTable known);

  // Each node is added once.
  void Add(NodeRow node, Verdict verdict);
  // All of `nodes`, each with the verdict of that number in the table known from the start.
  void Add(const NodeMask& nodes, std::span<const VerdictTable::Number> by_row);
  void Blame(const Verdict& verdict);

  // The verdict that holds for `node`.
  const Verdict& Of(NodeRow node) const {
    const bool judged = node.index() < by_row_.size() && by_row_[node.index()] != kNotJudged;
    return judged ? verdicts_[by_row_[node.index()]] : absent;
  }

  // Visits the nodes that were judged, by row.
  template <typename Visit>  // void(NodeRow, const Verdict&)
  void ForEach(Visit visit) const {
    for (uint32_t row = 0; row < by_row_.size(); ++row) {
      if (by_row_[row] != kNotJudged) visit(NodeRow{row}, verdicts_[by_row_[row]]);
    }
  }

  // "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)."
  std::string Message() const;

 private:
  static constexpr VerdictTable::Number kNotJudged = UINT32_MAX;

  void MakeRoom(size_t rows);

  VerdictTable verdicts_;
  std::vector<size_t> counts_;  // How many nodes have each verdict.
  std::vector<VerdictTable::Number> by_row_;
  size_t judged_ = 0;
};

}  // namespace berth
