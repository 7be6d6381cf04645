#include "scheduler/framework/class_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/workers.h"
#include "scheduler/framework/kernels.h"
#include "scheduler/framework/node_search.h"
#include "scheduler/model/cluster.h"
#include "scheduler/model/pod_counters.h"

namespace berth::scheduler::framework {

namespace {

// With fewer rows per thread, waking another one does not pay.
constexpr size_t kRowsPerPart = 8192;

// Returns part `part` of `parts` of the rows. Parts consist of whole words, so that they do not
// overlap.
model::NodeMask PartOf(const model::NodeMask& rows, size_t part, size_t parts) {
  const size_t words = rows.words().size();
  return rows.Part(words * part / parts, words * (part + 1) / parts);
}

std::shared_ptr<const ClassStates> Compile(const Profile& profile, model::Cluster& cluster,
                                           const model::PodClass& pod_class) {
  ClassStates states;
  for (const auto& plugin : profile.plugins())
    states.push_back(plugin->Compile(cluster, pod_class));
  return std::make_shared<const ClassStates>(std::move(states));
}

size_t BytesOf(const Verdict& verdict) {
  size_t bytes = sizeof(verdict);
  for (const std::string& reason : verdict.reasons()) bytes += sizeof(reason) + reason.capacity();
  return bytes;
}

template <typename T>
size_t BytesOf(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

Verdict FirstError(std::span<const Verdict> verdicts) {
  const auto found = std::ranges::find_if(verdicts, [](const Verdict& v) { return !v.ok(); });
  return found == verdicts.end() ? Verdict() : *found;
}

}  // namespace

ClassResults::ClassResults(const Profile& profile, model::Cluster& cluster,
                           const model::PodClass& pod_class, Workers* workers, NodeSearch* search,
                           PriorityViews* views)
    : profile_(profile),
      workers_(workers),
      search_(search),
      views_(views),
      compiled_(Compile(profile, cluster, pod_class)),
      cached_filters_(CachedFilters(profile)) {
  for (const FilterPlugin* filter : profile.filter()) filters_ |= PluginMask{1} << filter->slot();
  int64_t highest_total = 0;
  for (const Profile::Scorer& scorer : profile.score()) {
    highest_total_ += scorer.weight * ScorePlugin::kMaxScore;
    scorers_ |= PluginMask{1} << scorer.plugin->slot();
    if (scorer.plugin->score_scope() != Scope::kNode) continue;
    const int64_t highest = scorer.weight * ScorePlugin::kMaxScore;
    if (scorer.plugin->scale() != Scale::kNone || highest > INT32_MAX - highest_total) {
      raw_.emplace_back().scorer = scorer;
    } else {
      plain_scorers_.push_back(scorer);
      highest_total += highest;
    }
  }
  epochs_.resize(plain_scorers_.size() + raw_.size());
}

bool ClassResults::AreAlmostCurrent(const model::NodeTable& nodes) {
  // A row costs some 60 ns; a search 2 µs, and a scan 5 ns for each row.
  const uint64_t few = scans_ ? 16 + nodes.rows() / 16 : 16;
  // As many attempts as it takes until evaluating all rows pays.
  const uint32_t often = scans_ ? 16 : 256;
  const model::RowChanges& changes = nodes.changes();
  const uint64_t since = std::exchange(last_attempt_, changes.now());
  if (started_ && changes.Covers(position_) && changes.now() - position_ <= few) return true;
  in_a_row_ = changes.now() - since <= few ? in_a_row_ + 1 : 0;
  return in_a_row_ > often;
}

size_t ClassResults::CachedFilters(const Profile& profile) {
  size_t cached = 0;
  while (cached < profile.filter().size() && profile.filter()[cached]->reads() != Reads::kCluster)
    ++cached;
  return cached;
}

bool ClassResults::CollectChanges(const model::NodeTable& nodes) {
  const model::RowChanges& changes = nodes.changes();
  const uint64_t since = std::exchange(position_, changes.now());
  changed_.clear();
  if (!started_ || !changes.Covers(since)) {
    batch_.SetAll();
    started_ = true;
    return true;
  }
  const auto rows = changes.Since(since);
  if (rows.size() > batch_.words().size()) {
    batch_.SetEach(rows, [](model::NodeRow row) { return row.index(); });
    return true;
  }
  for (model::NodeRow row : rows) {
    if (batch_.Test(row.index())) continue;
    batch_.Set(row.index());
    changed_.push_back(row);
  }
  return false;
}

size_t ClassResults::PartsOf(size_t rows) const {
  return workers_ == nullptr ? 1 : std::clamp<size_t>(rows / kRowsPerPart, 1, workers_->count());
}

Verdict ClassResults::RunFilters(const Cycle& cycle, PluginMask skipped, model::NodeMask& rows,
                                 const AttemptMeter& meter) const {
  PluginTimer timer(meter);
  for (const FilterPlugin* filter : profile_.filter().first(cached_filters_)) {
    if ((skipped >> filter->slot()) & 1) continue;
    Verdict verdict = filter->Filter(cycle, rows);
    timer.End(*filter, MeasuredPoint::kFilter, verdict.code());
    if (!verdict.ok()) return verdict;
  }
  return {};
}

// Leaves in batch_ the rows that pass.
Verdict ClassResults::RunFiltersOnChangedRows(const Cycle& cycle, PluginMask skipped,
                                              size_t changed, const AttemptMeter& meter) {
  const size_t parts = PartsOf(changed);
  if (parts == 1) return RunFilters(cycle, skipped, batch_, meter);
  const AttemptMeter off;  // Measurements are for one thread.
  // Plugins fill their class caches when first called. That happens here, before other threads read
  // them.
  model::NodeMask none(batch_.size());
  if (Verdict error = RunFilters(cycle, skipped, none, off); !error.ok()) return error;
  std::vector<model::NodeMask> passing(parts);
  std::vector<Verdict> verdicts(parts);
  workers_->Run(parts, [&](size_t part) {
    passing[part] = PartOf(batch_, part, parts);
    verdicts[part] = RunFilters(cycle, skipped, passing[part], off);
  });
  batch_.ClearAll();
  for (const model::NodeMask& rows : passing) batch_ |= rows;
  return FirstError(verdicts);
}

// Removes from batch_ the rows that the class loses to rivals.
Verdict ClassResults::RunFiltersWithRivals(const Contest& contest) {
  if (contest.rows.None()) return {};
  model::NodeMask contested = batch_;
  contested &= contest.rows;
  Verdict error;
  contested.ForEach([&](size_t row) {
    if (!error.ok()) return;
    Verdict verdict = contest.filter(model::NodeRow{static_cast<uint32_t>(row)});
    if (verdict.rejected()) {
      batch_.Clear(row);
    } else if (!verdict.ok()) {
      error = std::move(verdict);
    }
  });
  return error;
}

Verdict ClassResults::RunScorer(const Cycle& cycle, const ScorePlugin& plugin,
                                const model::NodeMask& rows, std::span<int64_t> out) const {
  const size_t parts = PartsOf(stale_.size());
  if (parts == 1) return plugin.Score(cycle, rows, out);
  if (Verdict error = plugin.Score(cycle, model::NodeMask(rows.size()), out); !error.ok())
    return error;
  std::vector<Verdict> verdicts(parts);
  workers_->Run(parts, [&](size_t part) {
    verdicts[part] = plugin.Score(cycle, PartOf(rows, part, parts), out);
  });
  return FirstError(verdicts);
}

Verdict ClassResults::RefreshFilters(const Cycle& cycle, PluginMask skipped,
                                     const AttemptMeter& meter, const Contest* contest) {
  const model::NodeTable& nodes = cycle.nodes();
  if (position_ == nodes.changes().now() && started_) return {};
  if (feasible_.size() < nodes.rows()) {
    feasible_.Resize(nodes.rows());
    batch_.Resize(nodes.rows());
    explained_.Resize(nodes.rows());
    verdict_of_.resize(nodes.rows());
  }
  const bool many = CollectChanges(nodes);
  const model::NodeMask changed = many ? batch_ : model::NodeMask();
  MarkStale(many ? &changed : nullptr);
  batch_ &= nodes.present();
  Verdict error =
      RunFiltersOnChangedRows(cycle, skipped, many ? changed.Count() : changed_.size(), meter);
  if (error.ok() && contest != nullptr) error = RunFiltersWithRivals(*contest);
  StoreFiltered(many ? &changed : nullptr);
  // Reasons may contain names and numbers: unused verdicts must not accumulate.
  if (verdicts_.size() > 2 * verdict_of_.size()) {
    verdicts_ = {};
    verdict_bytes_ = 0;
    explained_.ClearAll();
  }
  if (!error.ok()) started_ = false;  // Partly evaluated: start over next time.
  return error;
}

// The scores of the rows that changed must be recomputed. `changed` has them; null if they are few,
// and in changed_.
void ClassResults::MarkStale(const model::NodeMask* changed) {
  if (all_are_stale_) return;
  if (changed == nullptr) {
    stale_.insert(stale_.end(), changed_.begin(), changed_.end());
  } else {
    changed->ForEach(
        [&](size_t row) { stale_.push_back(model::NodeRow{static_cast<uint32_t>(row)}); });
  }
  if (stale_.size() <= feasible_.size()) return;
  all_are_stale_ = true;
  stale_ = {};
}

// Moves the rows that passed from batch_ to feasible_. `changed` has the rows of changed_; null if
// those are few.
void ClassResults::StoreFiltered(const model::NodeMask* changed) {
  if (changed != nullptr) {
    feasible_ -= *changed;
    feasible_ |= batch_;
    explained_ -= *changed;
    batch_.ClearAll();
    return;
  }
  for (model::NodeRow row : changed_) {
    feasible_.Assign(row.index(), batch_.Test(row.index()));
    explained_.Clear(row.index());
  }
  batch_.ClearAll();
}

void ClassResults::CacheVerdict(model::NodeRow row, Verdict verdict) {
  const size_t known = verdicts_.size();
  verdict_of_[row.index()] = verdicts_.Add(std::move(verdict));
  if (verdicts_.size() > known) verdict_bytes_ += BytesOf(verdicts_[verdict_of_[row.index()]]);
  explained_.Set(row.index());
}

void ClassResults::CacheVerdicts(size_t word, uint64_t rows, VerdictTable::Number verdict) {
  const size_t first = word * 64;
  if (first + 64 <= verdict_of_.size()) {
    SetMembers(std::span(verdict_of_).subspan(first).first<64>(), rows, verdict);
  } else {
    for (uint64_t rest = rows; rest != 0; rest &= rest - 1)
      verdict_of_[first + static_cast<size_t>(std::countr_zero(rest))] = verdict;
  }
  explained_.SetInWord(word, rows);
}

size_t ClassResults::bytes() const {
  size_t bytes = sizeof(*this) + verdict_bytes_ + BytesOf(changed_) + BytesOf(verdict_of_) +
                 BytesOf(totals_) + BytesOf(unentered_) + BytesOf(stale_) + BytesOf(scratch_) +
                 BytesOf(buffers_.totals) + BytesOf(buffers_.scratch) + BytesOf(buffers_.scores) +
                 tournament_.bytes();
  for (const Raw& raw : raw_) bytes += BytesOf(raw.scores);
  for (const auto& state : *compiled_) bytes += state == nullptr ? 0 : state->bytes();
  return bytes;
}

bool ClassResults::ScoresOutdated(const model::Cluster& cluster) {
  bool outdated = false;
  auto check = [&](size_t i, const ScorePlugin& plugin) {
    const uint64_t epoch = plugin.score_epoch(cluster);
    outdated |= epoch != std::exchange(epochs_[i], epoch);
  };
  for (size_t i = 0; i < plain_scorers_.size(); ++i) check(i, *plain_scorers_[i].plugin);
  for (size_t i = 0; i < raw_.size(); ++i) check(plain_scorers_.size() + i, *raw_[i].scorer.plugin);
  return outdated;
}

void ClassResults::DropScores(size_t row) {
  totals_[row] = -1;
  if (!scored_.Test(row)) return;
  scored_.Clear(row);
  for (Raw& raw : raw_) {
    if (raw.scores[row] != raw.common) --raw.different;
  }
}

Verdict ClassResults::RefreshScores(const Cycle& cycle, PluginMask skipped,
                                    const AttemptMeter& meter) {
  const size_t rows = cycle.nodes().rows();
  if (totals_.size() < rows) {
    totals_.resize(rows, -1);
    scored_.Resize(rows);
    scratch_.resize(rows);
    for (Raw& raw : raw_) raw.scores.resize(rows);
  }
  if (ScoresOutdated(cycle.cluster()) || all_are_stale_) {
    stale_.clear();
    for (uint32_t row = 0; row < rows; ++row) stale_.push_back(model::NodeRow{row});
    all_are_stale_ = false;
  }
  if (stale_.empty()) return {};
  for (model::NodeRow row : stale_) {
    DropScores(row.index());
    batch_.Assign(row.index(), feasible_.Test(row.index()));
  }
  Verdict error = RunScorers(cycle, batch_, skipped, meter);
  batch_.ClearAll();
  if (!error.ok()) return error;
  unentered_.insert(unentered_.end(), stale_.begin(), stale_.end());
  stale_.clear();
  return {};
}

model::NodeRow ClassResults::Best(const model::NodeOrder& order, size_t start) {
  const std::vector<model::NodeRow>& rows = order.rows();
  if (entered_order_ != order.version() || unentered_.size() > rows.size()) {
    tournament_.Start(rows.size(), [&](size_t place) { return totals_[rows[place].index()]; });
    entered_order_ = order.version();
  } else {
    // A row without a node has no position.
    for (model::NodeRow row : unentered_) {
      const uint32_t place = order.rank()[row.index()];
      if (place < rows.size() && rows[place] == row) tournament_.Set(place, totals_[row.index()]);
    }
  }
  unentered_.clear();
  return tournament_.highest() < 0 ? model::NodeRow{} : rows[tournament_.Winner(start)];
}

size_t ClassResults::Rank(const model::NodeOrder& order, model::NodeRow best,
                          std::span<ScoredNode> into) const {
  size_t ranked = 0;
  into[ranked++] = {best, totals_[best.index()]};
  if (into.size() == 1) return ranked;
  tournament_.ForEachRunnerUp(
      order.rank()[best.index()], into.size() - 1,
      [&](size_t place, int32_t total) { into[ranked++] = {order.rows()[place], total}; });
  return ranked;
}

Verdict ClassResults::RunScorers(const Cycle& cycle, const model::NodeMask& rows,
                                 PluginMask skipped, const AttemptMeter& meter) {
  PluginTimer timer(meter);
  rows.ForEach([&](size_t row) { totals_[row] = 0; });
  for (const auto& [plugin, weight] : plain_scorers_) {
    if ((skipped >> plugin->slot()) & 1) continue;
    timer.Begin();
    Verdict verdict = RunScorer(cycle, *plugin, rows, scratch_);
    timer.End(*plugin, MeasuredPoint::kScore, verdict.code());
    if (!verdict.ok()) return verdict;
    int64_t invalid = 0;
    rows.ForEach([&](size_t row) {
      const int64_t score = scratch_[row];
      if (score < 0 || score > ScorePlugin::kMaxScore) invalid = score;
      totals_[row] += static_cast<int32_t>(score * weight);
    });
    if (invalid != 0) return InvalidScore(*plugin, invalid);
  }
  for (Raw& raw : raw_) {
    raw.skipped = (skipped >> raw.scorer.plugin->slot()) & 1;
    if (raw.skipped) continue;
    timer.Begin();
    Verdict verdict = RunScorer(cycle, *raw.scorer.plugin, rows, raw.scores);
    timer.End(*raw.scorer.plugin, MeasuredPoint::kScore, verdict.code());
    if (!verdict.ok()) return verdict;
    if (scored_.None()) ChooseCommon(cycle, rows, raw);
    rows.ForEach([&](size_t row) { raw.different += raw.scores[row] != raw.common; });
  }
  scored_ |= rows;
  return {};
}

void ClassResults::ChooseCommon(const Cycle& cycle, const model::NodeMask& rows, Raw& raw) {
  raw.different = 0;
  bool chosen = false;
  rows.ForEach([&](size_t row) {
    if (std::exchange(chosen, true)) return;
    raw.common = raw.scores[row];
    model::NodeMask alone(rows.size());
    alone.Set(row);
    scratch_[row] = raw.common;
    raw.scorer.plugin->Normalize(cycle, alone, scratch_);
    raw.common_normalized = scratch_[row];
  });
}

Verdict InvalidScore(const ScorePlugin& plugin, int64_t score) {
  return Verdict::Error(
      fmt::format("applying score defaultWeights on Score plugins: plugin \"{}\" returns an "
                  "invalid score {}, it should in "
                  "the range of [0, 100] after normalizing",
                  plugin.name(), score));
}

ClassResultsCache::ClassResultsCache(const Profile& profile, model::Cluster& cluster,
                                     Workers* workers)
    : profile_(profile),
      cluster_(cluster),
      workers_(workers),
      search_(std::make_unique<NodeSearch>()) {}

ClassResultsCache::~ClassResultsCache() = default;

std::shared_ptr<ClassResults> ClassResultsCache::For(const model::PodRecord& pod) {
  const size_t i = pod.pod_class.index();
  if (i >= entries_.size()) entries_.resize(cluster_.classes().capacity());
  Entry& entry = entries_[i];
  const uint64_t serial = cluster_.classes().serial(pod.pod_class);
  entry.last_used = ++uses_;
  const bool cached = entry.results != nullptr && entry.serial == serial;
  if (cached && i == last_) return entry.results;
  Measure(entries_[last_]);
  last_ = i;
  if (!cached) {
    Drop(entry);
    entry.serial = serial;
    entry.results = std::make_shared<ClassResults>(profile_, cluster_, cluster_.class_of(pod),
                                                   workers_, search_.get(), &views_);
    ++cached_;
  }
  auto results = entry.results;
  if (cached_ > 1 && IsFull(!cached)) DropOldest();
  return results;
}

// Counters are only added with new results. Their size takes a look at all of them: again when a
// sixteenth of their number of results is new, so that a result pays for a few looks.
bool ClassResultsCache::IsFull(bool has_new) {
  constexpr uint64_t kLooksPerResult = 16;
  const size_t rows = cluster_.nodes().rows();
  if (cached_ > kMaxResults || bytes_ > kMaxBytes + rows * kMaxBytesPerNode) return true;
  if (!has_new || ++created_ * kLooksPerResult < cluster_.counters().size()) return false;
  created_ = 0;
  return cluster_.counters().bytes() > kMaxCounterBytes + rows * kMaxCounterBytesPerNode;
}

// Results grow while their class is in use.
void ClassResultsCache::Measure(Entry& entry) {
  if (entry.results == nullptr) return;
  bytes_ -= entry.bytes;
  entry.bytes = entry.results->bytes();
  bytes_ += entry.bytes;
}

void ClassResultsCache::Drop(Entry& entry) {
  if (entry.results == nullptr) return;
  entry.results = nullptr;
  bytes_ -= std::exchange(entry.bytes, 0);
  --cached_;
}

// Drops the half that was used least recently, so that this work is spread over many calls.
void ClassResultsCache::DropOldest() {
  std::vector<uint64_t> uses;
  for (const Entry& entry : entries_) {
    if (entry.results != nullptr) uses.push_back(entry.last_used);
  }
  auto middle = uses.begin() + static_cast<ptrdiff_t>(uses.size() / 2);
  std::ranges::nth_element(uses, middle);
  for (Entry& entry : entries_) {
    if (entry.last_used < *middle) Drop(entry);
  }
}

void ClassResultsCache::Clear() {
  for (Entry& entry : entries_) Drop(entry);
  search_->Clear();
  views_.Clear();
}

void ClassResultsCache::DropRemovedClasses() {
  const model::PodClasses& classes = cluster_.classes();
  for (uint32_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].serial != classes.serial(model::PodClassId{i})) Drop(entries_[i]);
  }
}

}  // namespace berth::scheduler::framework
