#include "scheduler/plugins/dynamic_resources/node_outcomes.h"

#include <algorithm>
#include <utility>

#include "scheduler/devices/allocation.h"
#include "scheduler/model/resources.h"

namespace berth::scheduler::plugins {
namespace {

// The most alternatives that a request may have.
constexpr int64_t kMaxAlternatives = 8;

size_t BytesOf(const NodeOutcome& outcome) {
  return sizeof(outcome) + outcome.found.picks.capacity() * sizeof(devices::Pick) +
         outcome.found.alternatives.capacity() * sizeof(outcome.found.alternatives[0]);
}

NodeOutcome::Kind KindOf(devices::SearchResult::Kind kind) {
  switch (kind) {
    case devices::SearchResult::Kind::kFound:
      return NodeOutcome::Kind::kAllocated;
    case devices::SearchResult::Kind::kNotFound:
      return NodeOutcome::Kind::kNotAllocated;
    case devices::SearchResult::Kind::kInvalidPools:
      return NodeOutcome::Kind::kInvalidPools;
    case devices::SearchResult::Kind::kTimedOut:
      return NodeOutcome::Kind::kUndecided;
    case devices::SearchResult::Kind::kError:
      break;
  }
  return NodeOutcome::Kind::kError;
}

bool HasAlternatives(const devices::CompiledClaim& claim) {
  return std::ranges::any_of(claim.requests, &devices::CompiledRequest::has_alternatives);
}

}  // namespace

void NodeOutcomes::Resize(size_t rows) {
  if (outcomes_.size() >= rows) return;
  outcomes_.resize(rows);
  known_.Resize(rows);
  passing_.Resize(rows);
  errors_.Resize(rows);
}

void NodeOutcomes::Refresh(const model::Cluster& cluster) {
  const model::Devices& devices = cluster.devices();
  Resize(cluster.nodes().rows());
  const model::RowChanges& changes = devices.changes();
  if (epoch_ == devices.epoch() && position_ == changes.now()) return;
  by_view_.clear();
  if (epoch_ != devices.epoch() || !changes.Covers(position_)) {
    ForgetAll();
  } else {
    for (model::NodeRow row : changes.Since(position_)) {
      if (row.index() < outcomes_.size()) Forget(row.index());
    }
  }
  epoch_ = devices.epoch();
  position_ = changes.now();
}

void NodeOutcomes::Forget(size_t row) {
  if (outcomes_[row] == nullptr) return;
  bytes_ -= BytesOf(*outcomes_[row]);
  outcomes_[row] = nullptr;
  known_.Clear(row);
  passing_.Clear(row);
  errors_.Clear(row);
}

void NodeOutcomes::ForgetAll() {
  known_.ForEach([this](size_t row) { outcomes_[row] = nullptr; });
  known_.ClearAll();
  passing_.ClearAll();
  errors_.ClearAll();
  variants_.clear();
  by_view_.clear();
  bytes_ = 0;
}

model::NodeRow NodeOutcomes::Evaluate(const model::Cluster& cluster, const model::NodeMask& nodes) {
  if (cut_short_.valid()) Forget(cut_short_.index());
  cut_short_ = {};
  model::NodeMask rows = nodes;
  rows &= errors_;
  size_t failed = SIZE_MAX;
  rows.ForEach([&](size_t row) { failed = std::min(failed, row); });
  rows = nodes;
  rows -= known_;
  if (max_work_ < WorkBudget::kUnlimited / 4)
    work_left_ = 2 * max_work_ + kWorkOfEasyNode * rows.Count();
  rows.ForEach([&](size_t row) {
    // One error ends the attempt: the searches on other nodes, which may be as hard, are not
    // needed.
    if (row > failed) return;
    For(cluster, model::NodeRow{static_cast<uint32_t>(row)});
    if (errors_.Test(row)) failed = row;
  });
  work_left_ = WorkBudget::kUnlimited;
  return failed == SIZE_MAX ? model::NodeRow{} : model::NodeRow{static_cast<uint32_t>(failed)};
}

const NodeOutcome& NodeOutcomes::For(const model::Cluster& cluster, model::NodeRow node) {
  auto& outcome = outcomes_[node.index()];
  if (outcome != nullptr) return *outcome;
  outcome = Compute(cluster, node);
  bytes_ += BytesOf(*outcome);
  known_.Set(node.index());
  passing_.Assign(node.index(), outcome->passes());
  errors_.Assign(node.index(), !outcome->passes() && !outcome->rejects());
  return *outcome;
}

std::shared_ptr<const NodeOutcome> NodeOutcomes::Compute(const model::Cluster& cluster,
                                                         model::NodeRow row) {
  auto outcome = std::make_shared<NodeOutcome>();
  const api::Node& node = *cluster.nodes().info(row).object;
  if (input_.has_special_claim) {
    std::vector<std::string> resources;
    if (!FindDeviceResources(cluster, node, resources)) {
      outcome->kind = NodeOutcome::Kind::kCannotFit;
      return outcome;
    }
    if (resources.empty() && !input_.has_user_claims) return outcome;
    outcome->special = VariantFor(cluster, resources);
  }
  outcome->pools = cluster.devices().PoolsOf(row);
  if (outcome->special == nullptr)
    outcome->pools = relevant_pools_.Of(row, outcome->pools, work_left_);
  // A pool of the node's own makes a view unique, as does a device that chooses its nodes.
  const bool is_shareable = outcome->pools->shareable;
  const View view{outcome->pools.get(), outcome->special.get()};
  if (is_shareable) {
    if (const auto found = by_view_.find(view); found != by_view_.end()) return found->second;
  }
  const bool is_cut_short = work_left_ < max_work_;
  devices::SearchMemory* memory = is_shareable ? MemoryOf(*outcome) : nullptr;
  Allocate(cluster, node, *outcome, memory);
  if (is_shareable && memory == nullptr) MakeMemory(*outcome);
  if (outcome->kind == NodeOutcome::Kind::kUndecided && is_cut_short) {
    outcome->kind = NodeOutcome::Kind::kCutShort;
    cut_short_ = row;
    return outcome;
  }
  if (is_shareable) by_view_.emplace(view, outcome);
  return outcome;
}

void NodeOutcomes::Allocate(const model::Cluster& cluster, const api::Node& node,
                            NodeOutcome& outcome, devices::SearchMemory* memory) {
  const model::Devices& devices = cluster.devices();
  std::vector<const devices::CompiledClaim*> claims;
  for (const auto& claim : input_.claims) claims.push_back(claim.get());
  if (outcome.special != nullptr) claims.push_back(outcome.special->compiled.get());
  outcome.found = devices::Search({.pools = *outcome.pools,
                                   .node = node,
                                   .claims = claims,
                                   .allocated = devices.allocated(),
                                   .gates = devices.gates(),
                                   .max_work = std::min(max_work_, work_left_),
                                   .memory = memory})
                      .Run();
  ++searches_;
  work_left_ -= std::min(work_left_, outcome.found.work);
  outcome.kind = KindOf(outcome.found.kind);
  if (outcome.kind != NodeOutcome::Kind::kAllocated) return;
  for (size_t i = 0; i < claims.size(); ++i) {
    const Status has_selector =
        devices::CheckNodeSelector(*outcome.pools, devices::PicksOf(outcome.found, i));
    if (has_selector) continue;
    outcome.kind = NodeOutcome::Kind::kSelectorError;
    outcome.found.error = {i, has_selector.error().message};
    return;
  }
  outcome.score = ScoreOf(outcome);
}

devices::SearchMemory* NodeOutcomes::MemoryOf(const NodeOutcome& outcome) {
  if (outcome.special != nullptr) return nullptr;
  const auto found = std::ranges::find(memories_, outcome.pools, &Memory::pools);
  return found == memories_.end() ? nullptr : &found->memory;
}

// A search with a memory counts less work than one without. That must not decide anything, so
// that only easy ones have one.
void NodeOutcomes::MakeMemory(const NodeOutcome& outcome) {
  size_t alternatives = 0;
  for (const auto& claim : input_.claims) {
    for (const devices::CompiledRequest& request : claim->requests)
      alternatives += request.alternatives.size();
  }
  if (outcome.special != nullptr || alternatives > kMaxRemembered ||
      outcome.found.work > max_work_ / 2) {
    return;
  }
  if (memories_.size() == kMaxMemories) memories_.clear();
  memories_.push_back({outcome.pools, {}});
}

size_t NodeOutcomes::bytes() const {
  size_t bytes = bytes_ + outcomes_.capacity() * sizeof(outcomes_[0]);
  for (const Memory& known : memories_) bytes += known.memory.bytes();
  return bytes;
}

bool NodeOutcomes::FindDeviceResources(const model::Cluster& cluster, const api::Node& node,
                                       std::vector<std::string>& resources) const {
  for (const model::ResourceVector::Scalar& scalar : class_.requests.scalars) {
    const std::string& name = cluster.scalars().Text(scalar.id);
    if (scalar.amount == 0 || !devices::IsDeviceResource(name)) continue;
    const auto listed = node.status.allocatable.find(name);
    const bool is_listed = listed != node.status.allocatable.end();
    const bool has_none = !is_listed || model::AmountOf(name, listed->second) == 0;
    if (has_none && cluster.devices().extended_resources().Find(name) != nullptr) {
      resources.push_back(name);
    } else if (!is_listed) {
      return false;
    }
  }
  std::ranges::sort(resources);
  return true;
}

std::shared_ptr<const SpecialVariant> NodeOutcomes::VariantFor(
    const model::Cluster& cluster, const std::vector<std::string>& resources) {
  auto& known = variants_[resources];
  if (known != nullptr) return known;
  auto special = devices::MakeSpecialRequests(class_.spec(), resources,
                                              cluster.devices().extended_resources());
  auto spec = std::make_shared<api::ResourceClaimSpec>();
  spec->requests = std::move(special.requests);
  auto variant = std::make_shared<SpecialVariant>();
  variant->spec = spec;
  variant->mappings = std::move(special.mappings);
  variant->compiled = cluster.devices().Compile(spec);
  known = std::move(variant);
  return known;
}

int64_t NodeOutcomes::ScoreOf(const NodeOutcome& outcome) const {
  int64_t score = 0;
  for (size_t i = 0; i < input_.claims.size(); ++i) {
    const devices::CompiledClaim& claim = *input_.claims[i];
    for (size_t r = 0; r < claim.requests.size(); ++r) {
      const auto picks = devices::PicksOf(outcome.found, i);
      const bool has_devices = std::ranges::find(picks, r, &devices::Pick::request) != picks.end();
      if (claim.requests[r].has_alternatives && has_devices)
        score += kMaxAlternatives - static_cast<int64_t>(outcome.found.alternatives[i][r]);
    }
  }
  return score;
}

bool NodeOutcomes::has_scores() const {
  return std::ranges::any_of(input_.claims,
                             [](const auto& claim) { return HasAlternatives(*claim); });
}

const std::shared_ptr<NodeOutcomes>& OutcomeCache::For(const model::Cluster& cluster,
                                                       const model::PodClass& pod_class,
                                                       AllocationInput input, uint64_t max_work) {
  if (outcomes == nullptr || outcomes->input() != input)
    outcomes = std::make_shared<NodeOutcomes>(pod_class, std::move(input), max_work);
  outcomes->Refresh(cluster);
  return outcomes;
}

}  // namespace berth::scheduler::plugins
