#include "net/descriptor_limit.h"

#include <sys/resource.h>

#include <algorithm>

namespace berth::net {

namespace {

constexpr rlim_t kEnoughDescriptors = 65'536;
// What POSIX guarantees, should the system not tell.
constexpr size_t kFewestDescriptors = 20;

}  // namespace

void RaiseDescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kEnoughDescriptors) return;
  limit.rlim_cur = std::min(limit.rlim_max, kEnoughDescriptors);
  // A failure leaves the limit, which bounds the connections of servers.
  setrlimit(RLIMIT_NOFILE, &limit);
}

size_t DescriptorLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kFewestDescriptors;
  return std::min(limit.rlim_cur, kEnoughDescriptors);
}

}  // namespace berth::net
