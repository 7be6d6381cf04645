#include "daemon/memory_budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "ledger/ledger.h"

namespace berth::daemon {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
// As measured; see NeededMemory.
constexpr size_t kBaseBytes = 32 * kMiB;
constexpr size_t kBytesPerNode = 30 << 10;
constexpr size_t kBytesPerPod = 5300;
constexpr size_t kLedgerShare = 8;
// Caches go at nine tenths of the limit: a step of the engine needs less than the rest.
constexpr size_t kNearTenths = 9;
// Version 1 shows no limit as a number close to 2^63.
constexpr size_t kNoLimit = size_t{1} << 62;

std::optional<size_t> NumberIn(const Result<std::string>& text) {
  if (!text) return std::nullopt;
  size_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || number == 0 || number >= kNoLimit) return std::nullopt;
  return number;
}

// Returns the path after the controllers in a line of /proc/self/cgroup: "0::/a/b" or
// "5:memory:/a/b".
std::string PathIn(std::string_view cgroups, std::string_view controller) {
  while (!cgroups.empty()) {
    const std::string_view line = cgroups.substr(0, cgroups.find('\n'));
    cgroups.remove_prefix(std::min(line.size() + 1, cgroups.size()));
    const size_t first = line.find(':');
    const size_t second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    if (line.substr(first + 1, second - first - 1) == controller)
      return std::string(line.substr(second + 1));
  }
  return "";
}

}  // namespace

// The limit of a folder above counts, too. In a container the own folder is usually the root.
std::optional<size_t> CgroupMemoryLimit(const FileReader& read) {
  const std::string cgroups = read("/proc/self/cgroup").value_or(std::string());
  std::optional<size_t> lowest;
  const auto look = [&](std::string_view root, std::string path, std::string_view file) {
    for (;;) {
      if (path == "/") path.clear();
      const auto limit = NumberIn(read(fmt::format("{}{}/{}", root, path, file)));
      if (limit) lowest = std::min(*limit, lowest.value_or(*limit));
      if (path.empty()) return;
      path.erase(path.rfind('/'));
    }
  };
  look("/sys/fs/cgroup", PathIn(cgroups, ""), "memory.max");
  look("/sys/fs/cgroup/memory", PathIn(cgroups, "memory"), "memory.limit_in_bytes");
  return lowest;
}

size_t ResidentMemory(const FileReader& read) {
  const std::string text = read("/proc/self/statm").value_or(std::string());
  const size_t space = text.find(' ');
  if (space == text.npos) return 0;
  return NumberIn(text.substr(space + 1)).value_or(0) *
         static_cast<size_t>(std::max<long>(sysconf(_SC_PAGESIZE), 0));
}

size_t NeededMemory(size_t nodes, size_t pods) {
  return kBaseBytes + nodes * kBytesPerNode + pods * kBytesPerPod;
}

size_t MemoryBudget::LedgerBytes(size_t wanted) const {
  if (!limit_ || wanted == 0) return wanted;
  return std::min(wanted, std::max(*limit_ / kLedgerShare, ledger::kMinLedgerMemory));
}

bool MemoryBudget::IsNear(size_t resident) const {
  return limit_ && resident >= *limit_ / 10 * kNearTenths;
}

bool MemoryBudget::IsEnough(size_t nodes, size_t pods) const {
  return !limit_ || NeededMemory(nodes, pods) < *limit_ / 10 * kNearTenths;
}

std::string MemoryBudget::NeedText(size_t nodes, size_t pods) const {
  std::string text = fmt::format("{} nodes and {} pods need about {} MiB", nodes, pods,
                                 NeededMemory(nodes, pods) / kMiB);
  if (limit_) text += fmt::format("; the limit is {} MiB", *limit_ / kMiB);
  return text;
}

}  // namespace berth::daemon
