// What PodTopologySpread tells users about a node that it rejected.
#include <fmt/format.h>

#include "plugins/pod_topology_spread.h"
#include "plugins/spread_constraints.h"
#include "plugins/spread_filter_state.h"
#include "plugins/wording.h"

namespace berth {
namespace {

// One constraint, and how its domains stand.
struct Standing {
  const Cycle& cycle;
  const SpreadRule& rule;
  const SpreadCount& count;
  const DomainTally& tally;
  const NodeMask& nodes;  // Those that count.

  const Topology::Key& key() const { return cycle.nodes().topology().key(rule.key); }
  bool too_few_domains() const { return static_cast<int64_t>(tally.domains()) < rule.min_domains; }
  int64_t lowest() const { return too_few_domains() ? 0 : tally.lowest(); }
  int64_t CountWithPod(DomainId domain) const {
    return tally.In(domain) + (count.counts_itself ? 1 : 0);
  }
  std::string Name(DomainId domain) const {
    return Domain(rule.source.topology_key,
                  cycle.cluster().symbols().Text(key().domains[domain.index()].value));
  }

  // "3 pods with app=web"; the selector of a default constraint is not the user's, so it stays out.
  std::string Pods(int64_t number) const {
    if (!rule.source.label_selector) return Counted(number, "matching pod");
    return fmt::format("{} with {}", Counted(number, "pod"), Words(rule.source.label_selector));
  }

  // A domain that has the fewest, the first by row; invalid if only bookkeeping says so.
  DomainId Emptiest() const {
    DomainId found;
    nodes.ForEach([&](size_t row) {
      const DomainId domain = key().domain_of[row];
      if (!found.valid() && domain.valid() && tally.In(domain) == tally.lowest()) found = domain;
    });
    return found;
  }

  std::string Sentence(DomainId domain) const {
    const int64_t number = CountWithPod(domain);
    std::string text =
        count.counts_itself
            ? fmt::format("with this pod, {} would have {}", Name(domain), Pods(number))
            : fmt::format("{} already has {}", Name(domain), Pods(number));
    if (too_few_domains()) {
      return text + fmt::format(
                        "; there are {}, fewer than minDomains {}, so that 0 counts as the fewest; "
                        "maxSkew is {}",
                        Counted(static_cast<int64_t>(tally.domains()), "domain"), rule.min_domains,
                        rule.max_skew);
    }
    text += fmt::format(", {} more than ", number - lowest());
    const DomainId emptiest = Emptiest();
    text += emptiest.valid() ? fmt::format("{} with {}", Name(emptiest), lowest())
                             : fmt::format("the fewest in any domain, {}", lowest());
    return text + fmt::format("; maxSkew is {}", rule.max_skew);
  }
};

}  // namespace

std::string PodTopologySpread::Details(const Cycle& cycle, NodeRow node) const {
  const auto& constraints = cycle.compiled<SpreadConstraints>(*this);
  const auto& state = cycle.state<SpreadFilterState>(*this);
  for (size_t i = 0; i < constraints.hard().size(); ++i) {
    const Standing standing{cycle, constraints.hard()[i], state.counts->hard[i], state.tallies[i],
                            constraints.HardNodes(cycle, i)};
    const DomainId domain = standing.key().domain_of[node.index()];
    if (!domain.valid()) {
      return fmt::format("the node has no label {}, over which the pods are spread",
                         standing.rule.source.topology_key);
    }
    if (standing.CountWithPod(domain) - standing.lowest() > standing.rule.max_skew) {
      return standing.Sentence(domain);
    }
  }
  return "";
}

}  // namespace berth
