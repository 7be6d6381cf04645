// CoordinatedElection elects the holders of leases that have LeaseCandidates, as kube-apiserver's
// controller of the feature gate CoordinatedLeaderElection does.
//
// When a lease has no holder, or there may be a better one, it requests the candidates to renew
// (spec.pingTime) and waits for them for five seconds. Among those that did, it elects the one with
// the oldest emulation version, then the oldest binary version, then the oldest one. A holder that
// still renews the lease is not replaced, but asked to yield (spec.preferredHolder). Candidates
// that have not renewed for half an hour are deleted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/semantic_version.h"
#include "localcluster/controller.h"

namespace berth::localcluster {

class CoordinatedElection final : public Controller {
 public:
  explicit CoordinatedElection(Context& context) : Controller("coordinated-election", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& lease) override;
  size_t index_size() const override { return candidates_.size(); }

 private:
  struct Candidate {
    std::string name;
    std::string lease;
    std::string strategy;
    std::string emulation_version, binary_version;
    Instant created;
    Instant renewed;
    std::optional<Instant> pinged;

    // Null if the version is missing or invalid. They refer to this.
    std::optional<SemanticVersion> emulation() const { return Parse(emulation_version); }
    std::optional<SemanticVersion> binary() const { return Parse(binary_version); }
    bool has_responded() const { return !pinged || *pinged <= renewed; }

   private:
    static std::optional<SemanticVersion> Parse(std::string_view text) {
      const auto version = SemanticVersion::Parse(text);
      return version ? std::optional(*version) : std::nullopt;
    }
  };
  using Candidates = std::vector<const Candidate*>;

  static Candidate ToCandidate(const ObjectName& name, const JsonObject& document);
  // Returns the candidates for the lease, and deletes those that have expired.
  Candidates CandidatesFor(const ObjectName& lease);
  // Returns the strategy of the newest binary version; nullopt if candidates of it disagree.
  static std::optional<std::string> StrategyOf(const Candidates& candidates);
  // Returns null if no candidate has valid versions.
  static const Candidate* OldestOf(const Candidates& candidates);

  bool NeedsElection(const Candidates& candidates, const JsonObject* lease_spec) const;
  // Pings candidates that have not renewed recently. Reports whether all have, or had their time.
  bool HaveResponded(const ObjectName& lease, const Candidates& candidates);
  void Elect(const ObjectName& lease, const Candidates& candidates, bool lease_exists);
  void CreateLease(const ObjectName& lease, const std::string& strategy, const std::string& holder);
  void UpdateLease(const ObjectName& lease, const std::string& strategy, const std::string& holder);
  bool HasExpired(const JsonObject* lease_spec) const;

  std::map<ObjectName, Candidate> candidates_;
};

}  // namespace berth::localcluster
