#include "scheduler/framework/attempt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "scheduler/framework/class_results.h"
#include "scheduler/framework/extender.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/framework/scores.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::framework {
namespace {

bool Contains(PluginMask mask, const Plugin& plugin) { return (mask >> plugin.slot()) & 1; }
PluginMask MaskOf(const Plugin& plugin) { return PluginMask{1} << plugin.slot(); }

Verdict WrapError(const Verdict& verdict, std::string_view step, const Plugin& plugin) {
  return Verdict::Error(
      fmt::format("running {} plugin \"{}\": {}", step, plugin.name(), verdict.Message()));
}

}  // namespace

Attempt::Attempt(model::Cluster& cluster, const Profile& profile, ClassResults& results,
                 const model::PodRecord& pod)
    : cluster_(cluster),
      profile_(profile),
      results_(results),
      cycle_(cluster, pod, results.compiled()) {}

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
      if (!result.verdict.rejected()) return WrapError(result.verdict, "PreFilter", *plugin);
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
  if (restriction_) {
    candidates_ = model::NodeMask(nodes.rows());
    for (Symbol name : *restriction_) {
      const model::NodeRow row = nodes.Find(name);
      if (row.valid() && nodes.present().Test(row.index())) candidates_.Set(row.index());
    }
  } else {
    candidates_ = nodes.present();
  }

  meter_.TookPart(MeasuredPoint::kFilter, results_.filters() & ~skipped_filters_);
  Verdict error = results_.RefreshFilters(cycle_, skipped_filters_, meter_);
  if (!error.ok()) return error;
  PluginTimer timer(meter_);
  feasible_ = candidates_;
  feasible_ &= results_.feasible();
  for (const FilterPlugin* filter :
       profile_.filter().subspan(ClassResults::CachedFilters(profile_))) {
    if (Contains(skipped_filters_, *filter)) continue;
    Verdict verdict = filter->Filter(cycle_, feasible_);
    timer.End(*filter, MeasuredPoint::kFilter, verdict.code());
    if (!verdict.ok()) {
      return Verdict::Error(
          fmt::format("running \"{}\" filter plugin: {}", filter->name(), verdict.Message()));
    }
  }
  return FilterNominatedNodes();
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

// A node with nominated pods is evaluated with them on it, one by one; such nodes are few.
Verdict Attempt::FilterNominatedNodes() {
  for (const auto& [name, pods] : cluster_.nominations().by_node()) {
    const model::NodeRow row = cluster_.nodes().Find(name);
    if (!row.valid() || !HasRivals(pods)) continue;
    if (contested_.size() == 0) contested_ = model::NodeMask(candidates_.size());
    contested_.Set(row.index());
    if (!candidates_.Test(row.index())) continue;
    Verdict verdict = FilterNode(row);
    if (!verdict.ok() && !verdict.rejected()) return verdict;
    feasible_.Assign(row.index(), verdict.ok());
  }
  return {};
}

bool Attempt::DependsOnRowsAlone() const {
  const bool filtered = candidates_.size() > 0;
  return filtered &&
         std::ranges::all_of(
             profile_.filter().subspan(ClassResults::CachedFilters(profile_)),
             [&](const FilterPlugin* filter) { return Contains(skipped_filters_, *filter); });
}

// Rivals are nominated pods of at least the same priority.
bool Attempt::IsRival(model::PodId id) const {
  const model::PodRecord& other = cluster_.pod(id);
  const model::PodRecord& own = cycle_.pod();
  return other.object != own.object && other.uid() != own.uid() &&
         cluster_.class_of(other).priority >= cycle_.pod_class().priority;
}

bool Attempt::HasRivals(const std::vector<model::PodId>& nominated) const {
  return std::ranges::any_of(nominated, [&](model::PodId id) { return IsRival(id); });
}

Verdict Attempt::FilterNode(model::NodeRow node) {
  const std::vector<model::PodId>& nominated =
      cluster_.nominations().PodsOn(cluster_.nodes().info(node).name);
  if (HasRivals(nominated)) {
    CycleStates saved = cycle_.CloneStates();
    for (model::PodId id : nominated) {
      if (IsRival(id)) TryAdd(cluster_.pod(id), node);
    }
    Verdict verdict = RunFilters(node);
    for (model::PodId id : nominated) {
      if (IsRival(id)) cluster_.TryRemovePod(cluster_.pod(id), node);
    }
    cycle_.ReplaceStates(std::move(saved));
    if (!verdict.ok()) return verdict;
  }
  return RunFilters(node);
}

model::NodeRow Attempt::NominatedNode() const {
  const std::string& name = cycle_.pod().object->status.nominated_node_name;
  if (name.empty()) return {};
  const model::NodeRow row = cluster_.nodes().Find(cluster_.symbols().Find(name));
  return row.valid() && cluster_.nodes().present().Test(row.index()) ? row : model::NodeRow{};
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

Verdict Attempt::RunFilters(model::NodeRow node) const {
  for (const FilterPlugin* filter : profile_.filter()) {
    if (Contains(skipped_filters_, *filter)) continue;
    Verdict verdict = filter->Explain(cycle_, node);
    if (verdict.ok()) continue;
    if (!verdict.rejected()) {
      verdict = Verdict::Error(
          fmt::format("running \"{}\" filter plugin: {}", filter->name(), verdict.Message()));
    }
    return std::move(verdict).By(filter->name());
  }
  return {};
}

std::vector<Verdict> Attempt::AllRejections(model::NodeRow node) const {
  std::vector<Verdict> rejections;
  for (const FilterPlugin* filter : profile_.filter()) {
    if (Contains(skipped_filters_, *filter)) continue;
    Verdict verdict = filter->Explain(cycle_, node);
    if (!verdict.ok()) rejections.push_back(std::move(verdict).By(filter->name()));
  }
  return rejections;
}

Diagnosis Attempt::Diagnose(const Verdict& pre_filter) {
  if (pre_filter.rejected()) {
    Diagnosis diagnosis;
    diagnosis.all_nodes = cluster_.nodes().present_count();
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
  diagnosis.all_nodes = cluster_.nodes().present_count();
  if (restriction_) {
    diagnosis.absent = Verdict(
        Code::kUnschedulableAndUnresolvable,
        fmt::format("node(s) didn't satisfy plugin(s) [{}]", fmt::join(restricted_by_, " ")));
  }
  diagnosis.Add(cached, results_.verdict_of());
  others.ForEach([&](size_t row) {
    const model::NodeRow node{static_cast<uint32_t>(row)};
    if (const auto found = excluded_.find(node); found != excluded_.end())
      return diagnosis.Add(node, found->second);
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

// Returns the candidates that a cached filter rejects without nominated pods; their verdicts are
// cached afterwards.
model::NodeMask Attempt::CachedRejections() {
  model::NodeMask cached = candidates_;
  cached -= results_.feasible();
  if (contested_.size() > 0) cached -= contested_;
  model::NodeMask unexplained = cached;
  unexplained -= results_.explained();
  unexplained.ForEach([&](size_t row) {
    const model::NodeRow node{static_cast<uint32_t>(row)};
    results_.CacheVerdict(node, RunFilters(node));
  });
  return cached;
}

Verdict Attempt::PreScore() {
  PluginMask took_part = 0;
  PluginTimer timer(meter_);
  for (const PreScorePlugin* plugin : profile_.pre_score()) {
    Verdict verdict = plugin->PreScore(cycle_, feasible_);
    timer.End(*plugin, MeasuredPoint::kPreScore, verdict.code());
    if (verdict.skipped()) {
      skipped_scores_ |= MaskOf(*plugin);
    } else if (verdict.ok()) {
      took_part |= MaskOf(*plugin);
    } else {
      meter_.End(MeasuredPoint::kPreScore, Code::kError);
      return WrapError(verdict, "PreScore", *plugin);
    }
  }
  meter_.TookPart(MeasuredPoint::kPreScore, took_part);
  meter_.TookPart(MeasuredPoint::kScore, results_.scorers() & ~skipped_scores_);
  meter_.End(MeasuredPoint::kPreScore, Code::kSuccess);
  return {};
}

Verdict Attempt::Score() {
  if (Verdict error = PreScore(); !error.ok()) return error;
  Verdict verdict = results_.highest_total() > kMaxTotal ? ScoreLargeWeights() : ScoreFromCache();
  meter_.End(MeasuredPoint::kScore, verdict.code());
  return verdict;
}

Verdict Attempt::ScoreFromCache() {
  Verdict refreshed = results_.RefreshScores(cycle_, skipped_scores_, meter_);
  if (!refreshed.ok()) return refreshed;

  std::vector<const ClassResults::Raw*> uneven;
  for (const ClassResults::Raw& raw : results_.raw()) {
    if (raw.skipped) continue;
    if (raw.different > 0) {
      uneven.push_back(&raw);
    } else if (raw.common_normalized < 0 || raw.common_normalized > ScorePlugin::kMaxScore) {
      return InvalidScore(*raw.scorer.plugin, raw.common_normalized);
    }
  }
  std::vector<Profile::Scorer> changing;
  for (const Profile::Scorer& scorer : profile_.score()) {
    if (scorer.plugin->score_scope() == Scope::kNode || Contains(skipped_scores_, *scorer.plugin))
      continue;
    if (!scorer.plugin->AllScoresAreZero(cycle_)) changing.push_back(scorer);
  }

  const model::NodeOrder& order = cluster_.nodes().order();
  const bool all_cached = feasible_ == results_.feasible();
  if (uneven.empty() && changing.empty() && all_cached && !limit_) {
    best_ = results_.Best(order, start_);
    scored_ = Scored::kTournament;
    return {};
  }
  auto& [totals, scratch, scores] = results_.buffers();
  totals.resize(feasible_.size());
  scratch.resize(feasible_.size());
  scores.resize(feasible_.size());
  CopyRows(feasible_, results_.totals(), totals);
  for (const ClassResults::Raw* raw : uneven) {
    feasible_.ForEach([&](size_t row) { scores[row] = raw->scores[row]; });
    if (Verdict error = AddNormalized(raw->scorer, scores, totals); !error.ok()) return error;
  }
  PluginTimer timer(meter_);
  for (const Profile::Scorer& scorer : changing) {
    const auto weight = static_cast<int32_t>(scorer.weight);
    timer.Begin();
    if (scorer.plugin->AddScores(cycle_, weight, totals, scratch)) {
      timer.End(*scorer.plugin, MeasuredPoint::kScore, Code::kSuccess);
      continue;
    }
    Verdict verdict = scorer.plugin->Score(cycle_, feasible_, scores);
    timer.End(*scorer.plugin, MeasuredPoint::kScore, verdict.code());
    if (verdict.ok()) verdict = AddNormalized(scorer, scores, totals);
    if (!verdict.ok()) return verdict;
  }
  best_ = limit_ ? SelectBest(feasible_, std::span<const int32_t>(totals), own_rank_, 0)
                 : SelectBest(totals, order.rank(), start_, order.rows());
  scored_ = Scored::kTotals;
  return {};
}

size_t Attempt::Rank(std::span<ScoredNode> into) {
  if (scored_ == Scored::kNothing || !best_.valid()) return 0;
  const model::NodeOrder& order = cluster_.nodes().order();
  if (scored_ == Scored::kTournament) return results_.Rank(order, best_, into);
  // A row that was found is excluded until all are.
  std::vector<int32_t>& totals = results_.buffers().totals;
  size_t ranked = 0;
  for (model::NodeRow row = best_; row.valid();) {
    into[ranked++] = {row, totals[row.index()]};
    totals[row.index()] = kRowOut;
    if (ranked == into.size()) break;
    row = SelectBest(totals, order.rank(), start_, order.rows());
  }
  for (const ScoredNode& scored : into.first(ranked))
    totals[scored.node.index()] = static_cast<int32_t>(scored.score);
  return ranked;
}

// For weights whose sums may need more than 32 bits.
Verdict Attempt::ScoreLargeWeights() {
  ScoreTable table;
  if (Verdict error = AddColumns(table); !error.ok()) return error;
  best_ = BestOf(table.totals);
  return {};
}

template <typename Total>
Verdict Attempt::AddNormalized(const Profile::Scorer& scorer, std::vector<int64_t>& scores,
                               std::vector<Total>& totals) const {
  if (scorer.plugin->normalizes()) {
    PluginTimer timer(meter_);
    scorer.plugin->Normalize(cycle_, feasible_, scores);
    timer.End(*scorer.plugin, MeasuredPoint::kScoreExtensionNormalize, Code::kSuccess);
  }
  std::optional<int64_t> invalid;
  feasible_.ForEach([&](size_t row) {
    if (scores[row] < 0 || scores[row] > ScorePlugin::kMaxScore) invalid = scores[row];
    scores[row] *= scorer.weight;
    totals[row] += static_cast<Total>(scores[row]);
  });
  return invalid ? InvalidScore(*scorer.plugin, *invalid) : Verdict();
}

Verdict Attempt::ScoreInDetail(ScoreTable& table) {
  if (Verdict error = PreScore(); !error.ok()) return error;
  Verdict verdict = AddColumns(table);
  meter_.End(MeasuredPoint::kScore, verdict.code());
  return verdict;
}

Verdict Attempt::AddColumns(ScoreTable& table) {
  table.totals.assign(feasible_.size(), 0);
  for (const Profile::Scorer& scorer : profile_.score()) {
    if (Contains(skipped_scores_, *scorer.plugin)) continue;
    PluginScores& column = table.plugins.emplace_back();
    column.plugin = scorer.plugin->name();
    column.scores.resize(feasible_.size());
    PluginTimer timer(meter_);
    Verdict verdict = scorer.plugin->Score(cycle_, feasible_, column.scores);
    timer.End(*scorer.plugin, MeasuredPoint::kScore, verdict.code());
    if (verdict.ok()) verdict = AddNormalized(scorer, column.scores, table.totals);
    if (!verdict.ok()) return verdict;
  }
  return {};
}

}  // namespace berth::scheduler::framework
