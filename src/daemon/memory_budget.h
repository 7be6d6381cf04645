// MemoryBudget is how much memory the process may use, and what of it goes to what can be limited.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "daemon/options.h"

namespace berth::daemon {

// Returns the limit of the cgroup of this process, of version 2 or 1; nothing if there is none.
// `read` reads files of /proc and /sys.
std::optional<size_t> CgroupMemoryLimit(const FileReader& read);

// Returns the resident memory of this process; 0 if it is not known.
size_t ResidentMemory(const FileReader& read);

// Returns about how much the model of so many nodes and pods needs, with everything around it but
// the ledger: measured by scripts/sizing.py, docs/deploy.md has the table.
size_t NeededMemory(size_t nodes, size_t pods);

class MemoryBudget {
 public:
  // No `limit` means that there is none.
  explicit MemoryBudget(std::optional<size_t> limit) : limit_(limit) {}

  std::optional<size_t> limit() const { return limit_; }
  // The part of `wanted` that the ledger may have: an eighth of the limit at most.
  size_t LedgerBytes(size_t wanted) const;
  // Reports whether `resident` is so near the limit that caches must go.
  bool IsNear(size_t resident) const;
  // "5000 nodes and 150000 pods need about 942 MiB; the limit is 512 MiB"
  std::string NeedText(size_t nodes, size_t pods) const;
  // Reports whether the limit leaves room for so much.
  bool IsEnough(size_t nodes, size_t pods) const;

 private:
  std::optional<size_t> limit_;
};

}  // namespace berth::daemon
