// Verdict is a plugin's result for a pod: a code and reasons (upstream: Status). Diagnosis collects
// the verdicts of all nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/model/ids.h"

namespace berth::scheduler::framework {

enum class Code : uint8_t {
  kSuccess,
  kError,                         // The plugin failed; the pod is tried again later.
  kUnschedulable,                 // Rejected; removing pods may help.
  kUnschedulableAndUnresolvable,  // Rejected; removing pods does not help.
  kWait,                          // Permit only: delay the binding.
  kSkip,                          // The plugin has nothing to do for this pod.
  kPending,  // Rejected until something outside happens; the retry does not back off.
};

// As in metrics: "UnschedulableAndUnresolvable".
std::string_view ToString(Code code);

class [[nodiscard]] Verdict {
 public:
  // Success.
  Verdict() = default;
  explicit Verdict(Code code) : code_(code) {}
  Verdict(Code code, std::string reason) : code_(code), reasons_{std::move(reason)} {}
  Verdict(Code code, std::vector<std::string> reasons)
      : code_(code), reasons_(std::move(reasons)) {}

  static Verdict Skip() { return Verdict(Code::kSkip); }
  static Verdict Error(std::string message) { return {Code::kError, std::move(message)}; }

  Code code() const { return code_; }
  bool ok() const { return code_ == Code::kSuccess; }
  bool skipped() const { return code_ == Code::kSkip; }
  bool rejected() const {
    return code_ == Code::kUnschedulable || code_ == Code::kUnschedulableAndUnresolvable ||
           code_ == Code::kPending;
  }

  const std::vector<std::string>& reasons() const { return reasons_; }
  // The reasons, joined with ", ".
  std::string Message() const;

  // The plugin that returned it; set by the framework.
  const std::string& plugin() const { return plugin_; }
  Verdict By(std::string_view plugin) && {
    plugin_ = plugin;
    return std::move(*this);
  }

  friend bool operator==(const Verdict&, const Verdict&) = default;

 private:
  Code code_ = Code::kSuccess;
  std::vector<std::string> reasons_;
  std::string plugin_;
};

// VerdictTable numbers distinct verdicts: the verdicts of thousands of nodes are then a number
// each, and a few texts.
class VerdictTable {
 public:
  using Number = uint32_t;

  // Returns the number of the verdict equal to this one; a new one if there is none yet. Numbers
  // start at 0.
  Number Add(Verdict verdict);
  const Verdict& operator[](Number number) const { return verdicts_[number]; }
  size_t size() const { return verdicts_.size(); }

 private:
  std::vector<Verdict> verdicts_;
  std::vector<size_t> hashes_;  // Of each, so that most texts need not be compared.
};

// Diagnosis is why a pod fits on no node: the verdict of each node, and the message for users
// (upstream: FitError).
class Diagnosis {
 public:
  size_t all_nodes = 0;
  Verdict absent{Code::kUnschedulableAndUnresolvable};  // Of nodes that were not evaluated.
  std::string pre_filter_message;                       // Replaces the count of reasons.
  std::string post_filter_message;
  std::set<std::string, std::less<>> rejected_by;  // Plugins that rejected the pod.
  std::set<std::string, std::less<>> pending_on;   // Plugins that returned Pending.

  Diagnosis() = default;
  // Verdicts may then be added by their number in `known`.
  explicit Diagnosis(VerdictTable known);

  // Each node is added once. Returns the number of the verdict.
  VerdictTable::Number Add(model::NodeRow node, Verdict verdict);
  void Add(model::NodeRow node, VerdictTable::Number verdict);
  // Adds all of `nodes`, each with the verdict of that number in the table passed to the
  // constructor.
  void Add(const model::NodeMask& nodes, std::span<const VerdictTable::Number> by_row);
  void AddRejector(const Verdict& verdict);

  // Returns the verdict of `node`.
  const Verdict& Of(model::NodeRow node) const {
    const bool judged = node.index() < by_row_.size() && by_row_[node.index()] != kNotJudged;
    return judged ? verdicts_[by_row_[node.index()]] : absent;
  }

  // Visits the nodes that were evaluated, by row.
  template <typename Visit>  // void(NodeRow, const Verdict&)
  void ForEach(Visit visit) const {
    for (uint32_t row = 0; row < by_row_.size(); ++row) {
      if (by_row_[row] != kNotJudged) visit(model::NodeRow{row}, verdicts_[by_row_[row]]);
    }
  }

  // Visits the different verdicts, each with the number of nodes that have it; that of the nodes
  // that were not evaluated comes last, if there are any.
  template <typename Visit>  // void(const Verdict&, size_t)
  void ForEachVerdict(Visit visit) const {
    for (VerdictTable::Number i = 0; i < verdicts_.size(); ++i) {
      if (counts_[i] > 0) visit(verdicts_[i], counts_[i]);
    }
    if (judged_ < all_nodes) visit(absent, all_nodes - judged_);
  }
  // The verdicts by number, and the number of each row; kNotJudged if it was not evaluated.
  static constexpr VerdictTable::Number kNotJudged = UINT32_MAX;
  const VerdictTable& verdicts() const { return verdicts_; }
  // How many nodes were evaluated.
  size_t judged() const { return judged_; }
  std::span<const VerdictTable::Number> by_row() const { return by_row_; }

  // "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint(s)."
  std::string Message() const;

 private:
  void ResizeRows(size_t rows);

  VerdictTable verdicts_;
  std::vector<size_t> counts_;  // How many nodes have each verdict.
  std::vector<VerdictTable::Number> by_row_;
  size_t judged_ = 0;
};

}  // namespace berth::scheduler::framework
