#include "scheduler/groups/placement_counts.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "scheduler/framework/attempt.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::groups {
namespace {

// Filters that judge a node by itself, or by what is free of its resources.
constexpr std::array<std::string_view, 6> kFiltersByNode = {
    "NodeUnschedulable", "NodeName",         "TaintToleration",
    "NodeAffinity",      "NodeResourcesFit", "NodeDeclaredFeatures"};
// Plugins that accept a pod without volumes and claims on every node that passes the filters, and
// say of a group what its count says.
constexpr std::array<std::string_view, 2> kReservePlugins = {"VolumeBinding", "DynamicResources"};
constexpr std::array<std::string_view, 1> kPermitPlugins = {"GangScheduling"};

template <size_t kSize, typename Plugins>
bool AllAmong(const std::array<std::string_view, kSize>& names, const Plugins& plugins) {
  return std::ranges::all_of(plugins, [&](const framework::Plugin* plugin) {
    return std::ranges::find(names, plugin->name()) != names.end();
  });
}

bool AreAlike(const model::Cluster& cluster, const std::vector<const model::PodRecord*>& members) {
  const model::PodRecord& first = *members.front();
  return std::ranges::all_of(members, [&](const model::PodRecord* member) {
    // Labels matter to the anti-affinity of other pods alone.
    return member->pod_class == first.pod_class &&
           (member->labels == first.labels ||
            cluster.affinity_terms().Matching(member->labels).empty());
  });
}

// What one member takes of a node, as columns of the node table.
class MemberCapacity {
 public:
  // Nothing if resources that it requests are not counted in columns.
  static std::optional<MemberCapacity> Make(const GroupContext& context,
                                            const model::ResourceVector& requests) {
    const model::NodeColumns& columns = context.cluster.nodes().columns();
    MemberCapacity capacity;
    capacity.Add(requests.milli_cpu, columns.allocatable_cpu, columns.requested_cpu);
    capacity.Add(requests.memory, columns.allocatable_memory, columns.requested_memory);
    capacity.Add(requests.ephemeral_storage, columns.allocatable_ephemeral,
                 columns.requested_ephemeral);
    capacity.Add(1, columns.allocatable_pods, columns.pod_count);
    for (const model::ResourceVector::Scalar& scalar : requests.scalars) {
      if (scalar.amount == 0) continue;
      const auto* column = columns.scalar(scalar.id);
      if (column == nullptr ||
          !context.profile.resource_filter()->ChecksScalar(context.cluster, scalar.id))
        return std::nullopt;
      capacity.Add(scalar.amount, column->allocatable, column->requested);
    }
    return capacity;
  }

  // Returns how many members fit at the row, at most `limit`.
  size_t At(size_t row, size_t limit) const {
    for (const Column& column : columns_) {
      const int64_t free = (*column.allocatable)[row] - (*column.requested)[row];
      limit = std::min(limit, static_cast<size_t>(std::max<int64_t>(free, 0) / column.request));
    }
    return limit;
  }

 private:
  struct Column {
    int64_t request;
    const std::vector<int64_t>* allocatable;
    const std::vector<int64_t>* requested;
  };

  void Add(int64_t request, const std::vector<int64_t>& allocatable,
           const std::vector<int64_t>& requested) {
    if (request > 0) columns_.push_back({request, &allocatable, &requested});
  }

  std::vector<Column> columns_;
};

// Returns the nodes on which the pod fits; nothing if more than the node decides.
std::optional<model::NodeMask> NodesThatDecideAlone(const GroupContext& context,
                                                    const model::PodRecord& pod) {
  const auto results = context.results.For(pod);
  framework::Attempt attempt(context.cluster, context.profile, *results, pod);
  attempt.ConfineTo(&context.nodes);
  attempt.cycle().set_date(context.now);
  if (!attempt.PreFilter().ok()) return std::nullopt;
  for (const framework::FilterPlugin* filter : context.profile.filter()) {
    const bool skipped =
        (attempt.skipped_filters() & framework::PluginMask{1} << filter->slot()) != 0;
    if (!skipped && std::ranges::find(kFiltersByNode, filter->name()) == kFiltersByNode.end())
      return std::nullopt;
  }
  if (!attempt.Filter().ok()) return std::nullopt;
  return attempt.feasible();
}

}  // namespace

std::optional<std::vector<size_t>> CountInPlacements(
    const GroupContext& context, const std::vector<const model::PodRecord*>& members,
    std::span<const framework::Placement> placements) {
  const framework::Profile& profile = context.profile;
  if (profile.resource_filter() == nullptr || !AllAmong(kReservePlugins, profile.reserve()) ||
      !AllAmong(kPermitPlugins, profile.permit()))
    return std::nullopt;
  // Nominated pods count on their nodes, but in no column.
  if (!context.cluster.nominations().by_node().empty()) return std::nullopt;
  if (!AreAlike(context.cluster, members)) return std::nullopt;
  const model::PodClass& pod_class = context.cluster.class_of(*members.front());
  if (pod_class.requests != pod_class.placed) return std::nullopt;
  const auto capacity = MemberCapacity::Make(context, pod_class.requests);
  const auto nodes = capacity ? NodesThatDecideAlone(context, *members.front()) : std::nullopt;
  if (!nodes) return std::nullopt;

  std::vector<size_t> counts;
  for (const framework::Placement& placement : placements) {
    model::NodeMask within = placement.nodes;
    within &= *nodes;
    size_t count = 0;
    within.ForEach([&](size_t row) {
      if (count < members.size()) count += capacity->At(row, members.size() - count);
    });
    counts.push_back(count);
  }
  return counts;
}

}  // namespace berth::scheduler::groups
