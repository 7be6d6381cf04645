#include "scheduler/framework/attempt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>

#include "scheduler/framework/class_results.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/framework/scores.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {
namespace {

Verdict PreFilterError(const Verdict& verdict, const Plugin& plugin) {
  return Verdict::Error(
      fmt::format("running PreFilter plugin \"{}\": {}", plugin.name(), verdict.Message()));
}

Verdict FilterError(const Plugin& plugin, const Verdict& verdict) {
  return Verdict::Error(
      fmt::format("running \"{}\" filter plugin: {}", plugin.name(), verdict.Message()));
}

}  // namespace

Attempt::Attempt(model::Cluster& cluster, const Profile& profile, ClassResults& results,
                 const model::PodRecord& pod)
    : cluster_(cluster),
      profile_(profile),
      results_(results),
      cycle_(cluster, pod, results.compiled()) {
  cycle_.set_group_search(&profile.group_search());
}

Attempt::Order Attempt::order() const {
  if (limit_) return {.rank = own_rank_};
  return {.rank = cluster_.nodes().order().rank(), .start = start_};
}

model::NodeRow Attempt::BestOf(std::span<const int64_t> totals) const {
  const auto [rank, start] = order();
  return SelectBest(feasible_, totals, rank, start);
}

std::vector<model::NodeRow> Attempt::FeasibleInOrder() const {
  const auto [rank, start] = order();
  std::vector<model::NodeRow> rows;
  feasible_.ForEach(
      [&](size_t row) { rows.push_back(model::NodeRow{static_cast<uint32_t>(row)}); });
  std::ranges::sort(rows, {}, [&](model::NodeRow row) { return rank[row.index()] - start; });
  return rows;
}

Verdict Attempt::PreFilter() {
  PluginMask took_part = 0;
  Verdict verdict = RunPreFilters(took_part);
  meter_.TookPart(MeasuredPoint::kPreFilter, took_part);
  return verdict;
}

Verdict Attempt::RunPreFilters(PluginMask& took_part) {
  Verdict rejection;
  PluginTimer timer(meter_);
  for (const PreFilterPlugin* plugin : profile_.pre_filter()) {
    PreFilterResult result = plugin->PreFilter(cycle_);
    timer.End(*plugin, MeasuredPoint::kPreFilter, result.verdict.code());
    if (result.verdict.skipped()) {
      skipped_filters_ |= MaskOf(*plugin);
      continue;
    }
    took_part |= MaskOf(*plugin);
    if (!result.verdict.ok()) {
      if (!result.verdict.rejected()) return PreFilterError(result.verdict, *plugin);
      rejection = std::move(result.verdict).By(plugin->name());
      if (rejection.code() == Code::kUnschedulableAndUnresolvable) return rejection;
      continue;  // The others still run: preemption needs their states.
    }
    if (result.nodes) {
      Verdict verdict = Restrict(*plugin, std::move(*result.nodes));
      if (!verdict.ok()) return verdict;
    }
  }
  return rejection;
}

// Intersects the nodes of all restricting plugins.
Verdict Attempt::Restrict(const Plugin& plugin, std::vector<Symbol> nodes) {
  restricted_by_.emplace_back(plugin.name());
  std::ranges::sort(restricted_by_);
  if (restriction_) {
    std::vector<Symbol> both;
    std::ranges::set_intersection(*restriction_, nodes, std::back_inserter(both));
    nodes = std::move(both);
  }
  restriction_ = std::move(nodes);
  if (!restriction_->empty()) return {};
  if (restricted_by_.size() == 1) {
    return {Code::kUnschedulableAndUnresolvable,
            fmt::format("node(s) didn't satisfy plugin {}", restricted_by_[0])};
  }
  return {Code::kUnschedulableAndUnresolvable,
          fmt::format("node(s) didn't satisfy plugin(s) [{}] simultaneously",
                      fmt::join(restricted_by_, " "))};
}

Verdict Attempt::Filter() {
  const model::NodeTable& nodes = cluster_.nodes();
  special_ = {};
  if (restriction_) {
    candidates_ = model::NodeMask(nodes.rows());
    for (Symbol name : *restriction_) {
      const model::NodeRow row = nodes.Find(name);
      if (row.valid() && nodes.present().Test(row.index())) candidates_.Set(row.index());
    }
  } else {
    candidates_ = nodes.present();
  }
  if (placement_ != nullptr) candidates_ &= *placement_;

  meter_.TookPart(MeasuredPoint::kFilter, results_.filters() & ~skipped_filters_);
  if (restriction_ && restriction_->size() <= kFewNodes) return FilterWithoutCache();
  // Pods without an identity are not rivals of one another, as those of a class are.
  const bool has_rivals = !cluster_.nominations().empty();
  if (has_rivals && cycle_.pod().uid().empty()) return FilterWithoutCache();
  if (Verdict error = RefreshCachedFilters(); !error.ok()) return error;
  feasible_ = candidates_;
  feasible_ &= results_.feasible();
  const size_t cached = ClassResults::CachedFilters(profile_);
  if (Verdict error = RunUncachedFilters(profile_.filter().subspan(cached)); !error.ok())
    return error;
  return has_rivals ? CorrectCachedResults() : Verdict();
}

// For nodes that are so few that the other nodes' results are not worth having.
Verdict Attempt::FilterWithoutCache() {
  bypasses_cache_ = true;
  feasible_ = candidates_;
  if (Verdict error = RunUncachedFilters(profile_.filter()); !error.ok()) return error;
  return FilterContestedNodes();
}

Verdict Attempt::RunUncachedFilters(std::span<const FilterPlugin* const> filters) {
  steps_.clear();
  PluginTimer timer(meter_);
  for (const FilterPlugin* filter : filters) {
    if (Contains(skipped_filters_, *filter)) continue;
    steps_.push_back({filter, feasible_});
    const Verdict verdict = filter->Filter(cycle_, feasible_);
    timer.End(*filter, MeasuredPoint::kFilter, verdict.code());
    if (!verdict.ok()) return FilterError(*filter, verdict);
  }
  steps_.push_back({nullptr, feasible_});
  return {};
}

size_t Attempt::KeepFirst(size_t enough) {
  limit_ = enough;
  std::vector<model::NodeRow> list;
  for (model::NodeRow row : cluster_.nodes().order().rows()) {
    if (candidates_.Test(row.index())) list.push_back(row);
  }
  own_rank_.assign(feasible_.size(), 0);
  model::NodeMask first(feasible_.size());
  size_t seen = 0;
  for (size_t found = 0; seen < list.size() && found < enough; ++seen) {
    const model::NodeRow row = list[(start_ + seen) % list.size()];
    own_rank_[row.index()] = static_cast<uint32_t>(seen);
    if (!feasible_.Test(row.index())) continue;
    first.Set(row.index());
    ++found;
  }
  feasible_ = std::move(first);
  return seen;
}

void Attempt::Exclude(model::NodeRow node, std::optional<Verdict> why) {
  feasible_.Assign(node.index(), false);
  excludes_ = true;
  if (why) excluded_.emplace(node, *std::move(why));
}

bool Attempt::CachedFiltersSuffice() const {
  return std::ranges::all_of(
      profile_.filter().subspan(ClassResults::CachedFilters(profile_)),
      [&](const FilterPlugin* filter) { return Contains(skipped_filters_, *filter); });
}

bool Attempt::DependsOnRowsAlone() const {
  const bool filtered = candidates_.size() > 0;
  return filtered && CachedFiltersSuffice();
}

model::NodeRow Attempt::NominatedNode() const {
  const std::string& name = cycle_.pod().object->status.nominated_node_name;
  if (name.empty()) return {};
  const model::NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find(name));
  if (!row.valid() || !cluster_.nodes().present().Test(row.index())) return {};
  return placement_ == nullptr || placement_->Test(row.index()) ? row : model::NodeRow{};
}

void Attempt::EndSteps() {
  candidates_ = {};
  feasible_ = {};
  special_ = {};
  steps_ = {};
  own_rank_ = {};
}

void Attempt::TryAdd(const model::PodRecord& pod, model::NodeRow node) {
  cluster_.TryAddPod(pod, node);
  PluginTimer timer(meter_);
  for (const PreFilterPlugin* plugin : profile_.pre_filter()) {
    if (Contains(skipped_filters_, *plugin)) continue;
    plugin->PodAdded(cycle_, pod, node);
    timer.End(*plugin, MeasuredPoint::kPreFilterExtensionAddPod, Code::kSuccess);
  }
}

void Attempt::TryRemove(const model::PodRecord& pod, model::NodeRow node) {
  cluster_.TryRemovePod(pod, node);
  PluginTimer timer(meter_);
  for (const PreFilterPlugin* plugin : profile_.pre_filter()) {
    if (Contains(skipped_filters_, *plugin)) continue;
    plugin->PodRemoved(cycle_, pod, node);
    timer.End(*plugin, MeasuredPoint::kPreFilterExtensionRemovePod, Code::kSuccess);
  }
}

Verdict Attempt::RunFilters(model::NodeRow node,
                            std::span<const FilterPlugin* const> filters) const {
  for (const FilterPlugin* filter : filters) {
    if (Contains(skipped_filters_, *filter)) continue;
    Verdict verdict = filter->Judge(cycle_, node);
    if (verdict.ok()) continue;
    if (!verdict.rejected()) verdict = FilterError(*filter, verdict);
    return std::move(verdict).By(filter->name());
  }
  return {};
}

size_t Attempt::AllNodes() const {
  return placement_ == nullptr ? cluster_.nodes().present_count() : placement_->Count();
}

std::vector<Verdict> Attempt::AllRejections(model::NodeRow node) const {
  std::vector<Verdict> rejections;
  for (const FilterPlugin* filter : profile_.filter()) {
    if (Contains(skipped_filters_, *filter)) continue;
    Verdict verdict = filter->Judge(cycle_, node);
    if (!verdict.ok()) rejections.push_back(std::move(verdict).By(filter->name()));
  }
  return rejections;
}

Diagnosis Attempt::Diagnose(const Verdict& pre_filter) {
  if (pre_filter.rejected()) {
    Diagnosis diagnosis;
    diagnosis.all_nodes = AllNodes();
    diagnosis.absent = pre_filter;
    diagnosis.pre_filter_message = pre_filter.Message();
    diagnosis.AddRejector(pre_filter);
    diagnosis.rejected_by.insert(restricted_by_.begin(), restricted_by_.end());
    return diagnosis;
  }
  model::NodeMask others = candidates_;
  others -= feasible_;
  const model::NodeMask cached = CachedRejections();
  others -= cached;
  Diagnosis diagnosis(results_.verdicts());
  diagnosis.all_nodes = AllNodes();
  if (restriction_) {
    diagnosis.absent = Verdict(
        Code::kUnschedulableAndUnresolvable,
        fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(restricted_by_, " ")));
  }
  diagnosis.Add(cached, results_.verdict_of());
  for (const auto& [node, why] : excluded_) {
    if (!others.Test(node.index())) continue;
    diagnosis.Add(node, why);
    others.Clear(node.index());
  }
  AddUncachedRejections(others, diagnosis);
  others.ForEach([&](size_t row) {
    const model::NodeRow node{static_cast<uint32_t>(row)};
    Verdict verdict = FilterNode(node);
    if (!verdict.ok()) diagnosis.Add(node, std::move(verdict));
  });
  if (excludes_) diagnosis.rejected_by.emplace(kExtenderPlugin);
  const model::NodeRow nominated = NominatedNode();
  if (nominated.valid() && !candidates_.Test(nominated.index())) {
    Verdict verdict = FilterNode(nominated);
    if (verdict.rejected()) diagnosis.Add(nominated, std::move(verdict));
  }
  diagnosis.rejected_by.insert(restricted_by_.begin(), restricted_by_.end());
  return diagnosis;
}

// Returns the candidates that are not special and that a cached filter rejects; their verdicts are
// cached afterwards.
model::NodeMask Attempt::CachedRejections() {
  if (bypasses_cache_) return model::NodeMask(candidates_.size());
  model::NodeMask cached = candidates_;
  cached -= results_.feasible();
  if (special_.size() > 0) cached -= special_;
  model::NodeMask unexplained = cached;
  unexplained -= results_.explained();
  if (unexplained.None()) return cached;
  if (cluster_.nominations().empty()) {
    ExplainEach(CacheVerdicts(unexplained).ok() ? model::NodeMask() : unexplained);
  } else {
    ExplainWithRivals(std::move(unexplained));
  }
  return cached;
}

// Explains one node of each kind of rejection. Each of the nodes is rejected by a cached filter.
Verdict Attempt::CacheVerdicts(model::NodeMask rejected) {
  std::vector<const FilterPlugin*> filters;
  for (const FilterPlugin* filter :
       profile_.filter().first(ClassResults::CachedFilters(profile_))) {
    if (!Contains(skipped_filters_, *filter)) filters.push_back(filter);
  }
  for (const FilterPlugin* filter : filters) {
    if (rejected.None()) break;
    // The last filter rejects all that are left.
    model::NodeMask later = filter == filters.back() ? model::NodeMask(rejected.size()) : rejected;
    if (Verdict error = filter->Filter(cycle_, later); !error.ok()) return error;
    rejected -= later;
    CacheVerdictsOfKinds(*filter, rejected);
    rejected = std::move(later);
  }
  return {};
}

// Caches the verdicts of nodes that `filter` rejects.
void Attempt::CacheVerdictsOfKinds(const FilterPlugin& filter, const model::NodeMask& rejected) {
  ExplainKinds(
      filter, rejected,
      [&](model::NodeRow node) {
        results_.CacheVerdict(node, RunFilters(node, profile_.filter()));
        return results_.verdict_of()[node.index()];
      },
      [&](size_t word, uint64_t rows, VerdictTable::Number verdict) {
        results_.CacheVerdicts(word, rows, verdict);
      });
}

// Moves from `nodes` to the diagnosis those that an uncached filter rejects as they are.
void Attempt::AddUncachedRejections(model::NodeMask& nodes, Diagnosis& diagnosis) {
  if (steps_.empty() || nodes.None()) return;
  model::NodeMask left = nodes;
  if (special_.size() > 0) left -= special_;
  left &= steps_.front().before;
  nodes -= left;
  for (size_t i = 0; i + 1 < steps_.size(); ++i) {
    model::NodeMask later = left;
    later &= steps_[i + 1].before;
    left -= later;
    ExplainKinds(
        *steps_[i].filter, left,
        [&](model::NodeRow node) {
          return diagnosis.Add(node, RunFilters(node, profile_.filter()));
        },
        [&](size_t word, uint64_t rows, VerdictTable::Number verdict) {
          for (; rows != 0; rows &= rows - 1) {
            const size_t row = word * 64 + static_cast<size_t>(std::countr_zero(rows));
            diagnosis.Add(model::NodeRow{static_cast<uint32_t>(row)}, verdict);
          }
        });
    left = std::move(later);
  }
  nodes |= left;  // Something else keeps the pod off these.
}

template <typename Explain, typename Repeat>
void Attempt::ExplainKinds(const FilterPlugin& filter, const model::NodeMask& rejected,
                           Explain&& explain, Repeat&& repeat) const {
  const Conditions conditions = filter.Require(cycle_);
  std::map<uint32_t, VerdictTable::Number> known;
  std::array<uint32_t, 64> kinds{};
  for (size_t word = 0; word < rejected.words().size(); ++word) {
    uint64_t rest = rejected.words()[word];
    if (rest != 0) RejectionKinds(conditions, cycle_, word * 64, rest, kinds);
    while (rest != 0) {
      const auto i = static_cast<size_t>(std::countr_zero(rest));
      const uint32_t kind = kinds[i];
      auto found = known.find(kind);
      if (found == known.end()) {
        const VerdictTable::Number verdict =
            explain(model::NodeRow{static_cast<uint32_t>(word * 64 + i)});
        rest &= rest - 1;
        if (kind == kNoKind) continue;
        found = known.emplace(kind, verdict).first;
      }
      // Neighbours are often of one kind.
      const uint64_t same = rest & MembersEqualTo(kinds, kind);
      repeat(word, same, found->second);
      rest &= ~same;
    }
  }
}

void Attempt::ExplainEach(const model::NodeMask& rejected) {
  rejected.ForEach([&](size_t row) {
    const model::NodeRow node{static_cast<uint32_t>(row)};
    results_.CacheVerdict(node, FilterNode(node));
  });
}

}  // namespace berth::scheduler::framework
