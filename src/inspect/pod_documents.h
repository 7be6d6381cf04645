// The documents about one pod: PodExplanation, PodFixes and PodMatrix. They are computed on the
// mirror, and remembered as long as somebody may ask for a further part of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "api/meta.h"
#include "base/time.h"
#include "explain/pod_explanation.h"
#include "inspect/mirror.h"
#include "inspect/node_documents.h"
#include "inspect/profile_table.h"
#include "inspect/queue_snapshot.h"
#include "inspect/request.h"

namespace berth::inspect {

class PodDocuments {
 public:
  // Reports of fixes to remember: enough for those who read them now.
  static constexpr size_t kMaxFixes = 64;
  // Accounts of decisions to remember, each some hundred bytes per node: pages of one listing.
  static constexpr size_t kMaxMatrices = 2;

  // Both must outlive this.
  PodDocuments(Mirror& mirror, const ProfileTable& profiles)
      : mirror_(mirror), profiles_(profiles) {}

  // `row` is the pod's in the queue, null if it has a node. `now` is the date.
  Response Explain(const api::ObjectKey& key, const PodRow* row, Instant now);
  Response Fixes(const api::ObjectKey& key, Instant now);
  // The explanation with a fix of the report made: the fix of that number, counted from 1.
  Response Try(const api::ObjectKey& key, std::string_view number, std::string_view revision,
               Instant now);
  Response Matrix(const api::ObjectKey& key, const NodeList& nodes, const Request& request,
                  Instant now);

 private:
  struct FoundFixes {
    api::ObjectKey pod;
    std::string uid;
    std::string revision;
    explain::FixReport report;
  };
  struct Account {
    api::ObjectKey pod;
    uint64_t number = 0;      // For continue tokens.
    uint64_t generation = 0;  // Of the nodes.
    scheduler::engine::Explanation explanation;
    std::string scheduler_name;
  };

  // Returns the pod as the mirror has it; null if there is none.
  api::Ref<api::Pod> Find(const api::ObjectKey& key) const;
  std::string profile() const { return profiles_.scheduler_names().front(); }

  Mirror& mirror_;
  const ProfileTable& profiles_;
  std::list<FoundFixes> fixes_;  // Newest first.
  std::list<Account> accounts_;  // Likewise.
  uint64_t last_number_ = 0;
};

// Returns 404 for a pod.
Response PodNotFound(const api::ObjectKey& key);

}  // namespace berth::inspect
