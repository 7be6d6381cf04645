#include "localcluster/coordinated_election.h"

#include <tuple>
#include <utility>

#include "api/timestamp.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {
namespace {

// How often a lease is checked.
constexpr Duration kCheckInterval = Duration::Seconds(5);
// How long candidates have to respond, and how long a response is recent.
constexpr Duration kElectionDuration = Duration::Seconds(5);
constexpr int64_t kAssignedLeaseSeconds = 5;
constexpr Duration kCandidateLifetime = Duration::Seconds(1800);
constexpr std::string_view kOldestEmulationVersion = "OldestEmulationVersion";

}  // namespace

CoordinatedElection::Candidate CoordinatedElection::ToCandidate(const ObjectName& name,
                                                                const JsonObject& document) {
  const JsonObject* spec = ObjectAt(&document, "spec");
  Candidate candidate;
  candidate.name = name.name;
  candidate.lease = StringAt(spec, "leaseName");
  candidate.strategy = StringAt(spec, "strategy");
  candidate.emulation_version = StringAt(spec, "emulationVersion");
  candidate.binary_version = StringAt(spec, "binaryVersion");
  candidate.created =
      TimeAt(ObjectAt(&document, "metadata"), "creationTimestamp").value_or(Instant());
  candidate.renewed = TimeAt(spec, "renewTime").value_or(Instant());
  candidate.pinged = TimeAt(spec, "pingTime");
  return candidate;
}

void CoordinatedElection::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &LeaseCandidates()) {
    Candidate candidate = ToCandidate(name, change.document);
    const ObjectName lease{name.namespace_, candidate.lease};
    if (change.deleted) {
      candidates_.erase(name);
      return queue_.Add(lease);
    }
    // One that was pinged is under way to an election.
    if (candidate.has_responded()) queue_.Add(lease);
    candidates_.insert_or_assign(name, std::move(candidate));
  } else if (&change.kind == &Leases() && !candidates_.empty()) {
    queue_.Add(name);
  }
}

void CoordinatedElection::Sync(const ObjectName& lease) {
  const Candidates candidates = CandidatesFor(lease);
  if (candidates.empty()) return;
  queue_.AddAt(lease, context_.now() + kCheckInterval);
  const apiserver::store::ObjectPtr object = context_.store().Get(Leases().collection, lease);
  const Json document = object ? apiserver::store::Parse(*object) : Json();
  if (!NeedsElection(candidates, ObjectAt(AsObject(document), "spec"))) return;
  if (HaveResponded(lease, candidates)) Elect(lease, candidates, object != nullptr);
}

CoordinatedElection::Candidates CoordinatedElection::CandidatesFor(const ObjectName& lease) {
  Candidates found;
  std::vector<ObjectName> expired;
  for (auto at = candidates_.lower_bound({lease.namespace_, ""});
       at != candidates_.end() && at->first.namespace_ == lease.namespace_; ++at) {
    const auto& [name, candidate] = *at;
    if (candidate.lease != lease.name) continue;
    if (candidate.renewed + kCandidateLifetime < context_.now()) {
      expired.push_back(name);
    } else {
      found.push_back(&candidate);
    }
  }
  for (const ObjectName& name : expired) (void)context_.api.Delete(LeaseCandidates(), name);
  return found;
}

std::optional<std::string> CoordinatedElection::StrategyOf(const Candidates& candidates) {
  const Candidate* newest = candidates.front();
  for (const Candidate* candidate : candidates) {
    if (newest->binary() < candidate->binary()) {
      newest = candidate;
    } else if (newest->binary() == candidate->binary() && newest->strategy != candidate->strategy) {
      return std::nullopt;
    }
  }
  return newest->strategy;
}

const CoordinatedElection::Candidate* CoordinatedElection::OldestOf(const Candidates& candidates) {
  const auto order = [](const Candidate& one) {
    return std::make_tuple(*one.emulation(), *one.binary(), one.created);
  };
  const Candidate* oldest = nullptr;
  for (const Candidate* candidate : candidates) {
    if (!candidate->emulation() || !candidate->binary()) continue;
    if (oldest == nullptr || order(*candidate) < order(*oldest)) oldest = candidate;
  }
  return oldest;
}

bool CoordinatedElection::HasExpired(const JsonObject* lease_spec) const {
  const auto renewed = TimeAt(lease_spec, "renewTime");
  const auto seconds = IntAt(lease_spec, "leaseDurationSeconds");
  return !renewed || !seconds || *renewed + Duration::Seconds(*seconds) < context_.now();
}

bool CoordinatedElection::NeedsElection(const Candidates& candidates,
                                        const JsonObject* lease_spec) const {
  const std::string_view holder = StringAt(lease_spec, "holderIdentity");
  if (holder.empty() || HasExpired(lease_spec)) return true;
  // An election makes all candidates renew before they expire.
  for (const Candidate* candidate : candidates) {
    if (candidate->renewed + kCandidateLifetime / 2 < context_.now()) return true;
  }
  if (StrategyOf(candidates) != kOldestEmulationVersion) return false;
  const Candidate* oldest = OldestOf(candidates);
  return oldest != nullptr && oldest->name != holder;
}

bool CoordinatedElection::HaveResponded(const ObjectName& lease, const Candidates& candidates) {
  const Instant now = context_.now();
  bool done = true;
  for (const Candidate* candidate : candidates) {
    const bool was_pinged_recently =
        candidate->pinged && *candidate->pinged + kElectionDuration > now;
    if (was_pinged_recently && !candidate->has_responded()) {
      done = false;
      continue;
    }
    if (candidate->renewed + kElectionDuration > now) continue;
    // One that did not respond to the last ping is not pinged again.
    if (was_pinged_recently || !candidate->has_responded()) continue;
    const auto pinged = context_.api.Modify(
        LeaseCandidates(), {lease.namespace_, candidate->name}, [&](Json& newest) {
          JsonObject& spec = EnsureObject(newest.get_object(), "spec");
          SetString(spec, "pingTime", api::FormatMicroTime(now));
          return true;
        });
    if (pinged) Wrote(lease, *pinged);
    done = false;
  }
  return done;
}

void CoordinatedElection::Elect(const ObjectName& lease, const Candidates& candidates,
                                bool lease_exists) {
  Candidates responded;
  for (const Candidate* candidate : candidates) {
    if (candidate->renewed + kElectionDuration > context_.now()) responded.push_back(candidate);
  }
  if (responded.empty()) return;
  const std::optional<std::string> strategy = StrategyOf(responded);
  if (!strategy) return;
  // Other strategies have other controllers: the lease then has no holder.
  std::string holder;
  if (*strategy == kOldestEmulationVersion) {
    const Candidate* oldest = OldestOf(responded);
    if (oldest == nullptr) return;
    holder = oldest->name;
  }
  if (lease_exists) {
    UpdateLease(lease, *strategy, holder);
  } else {
    CreateLease(lease, *strategy, holder);
  }
}

void CoordinatedElection::CreateLease(const ObjectName& lease, const std::string& strategy,
                                      const std::string& holder) {
  JsonObject document;
  SetString(EnsureObject(document, "metadata"), "name", lease.name);
  JsonObject& spec = EnsureObject(document, "spec");
  if (!holder.empty()) SetString(spec, "holderIdentity", holder);
  SetInt(spec, "leaseDurationSeconds", kAssignedLeaseSeconds);
  SetString(spec, "renewTime", api::FormatMicroTime(context_.now()));
  SetString(spec, "strategy", strategy);
  const auto created = context_.api.Create(Leases(), lease.namespace_, std::move(document));
  if (created) Wrote(lease, created->object);
}

void CoordinatedElection::UpdateLease(const ObjectName& lease, const std::string& strategy,
                                      const std::string& holder) {
  const auto updated = context_.api.Modify(Leases(), lease, [&](Json& newest) {
    JsonObject& spec = EnsureObject(newest.get_object(), "spec");
    const std::string current(StringAt(&spec, "holderIdentity"));
    bool changed = StringAt(&spec, "strategy") != strategy;
    if (changed) SetString(spec, "strategy", strategy);
    if (holder.empty() || holder == current) return changed;
    if (current.empty() || HasExpired(&spec)) {
      SetString(spec, "holderIdentity", holder);
      SetInt(spec, "leaseDurationSeconds", kAssignedLeaseSeconds);
      SetString(spec, "renewTime", api::FormatMicroTime(context_.now()));
      spec.erase("preferredHolder");
      spec.erase("acquireTime");
      return true;
    }
    changed |= StringAt(&spec, "preferredHolder") != holder;
    SetString(spec, "preferredHolder", holder);
    return changed;
  });
  if (updated) Wrote(lease, *updated);
}

}  // namespace berth::localcluster
