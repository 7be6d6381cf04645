// Extenders: HTTP services that take part in filtering, scoring, preemption or binding. Their
// configuration, and which of them is called in which step. engine/extender_protocol.h encodes the
// calls; they leave the engine as commands (CallExtender).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object_fwd.h"
#include "base/time.h"

namespace berth::scheduler::framework {

// Base64 in the configuration file.
struct Bytes {
  std::string bytes = {};
};

// Data takes precedence over a file of the same.
struct ExtenderTls {
  bool insecure = false;
  std::string server_name = {};
  std::string cert_file = {};
  std::string key_file = {};
  std::string ca_file = {};
  Bytes cert_data = {};
  Bytes key_data = {};
  Bytes ca_data = {};
};

struct ManagedResource {
  std::string name;
  bool ignored_by_scheduler = false;
};

// One extender; the fields are those of KubeSchedulerConfiguration. With an empty verb, it does not
// take part in that step.
struct ExtenderConfig {
  std::string url_prefix;
  std::string filter_verb;
  std::string preempt_verb;
  std::string prioritize_verb;
  int64_t weight = 0;
  std::string bind_verb;
  bool enable_https = false;
  std::optional<ExtenderTls> tls;
  Duration http_timeout;  // 0 means 5 s; less than 0 means no limit.
  bool node_cache_capable = false;
  std::vector<ManagedResource> managed_resources;
  bool ignorable = false;
};

// The plugin name that is recorded for nodes which extenders rejected.
inline constexpr std::string_view kExtenderPlugin = "Extender";

enum class ExtenderStep : uint8_t { kFilter, kPrioritize, kPreempt, kBind };

// Returns the last part of the URL for `step`; empty if the extender does not take part in it.
const std::string& VerbOf(const ExtenderConfig& extender, ExtenderStep step);
inline bool TakesPartIn(const ExtenderConfig& extender, ExtenderStep step) {
  return !VerbOf(extender, step).empty();
}

std::string UrlOf(const ExtenderConfig& extender, ExtenderStep step);

// Reports whether the extender manages no resource in particular, or one that a container or init
// container of `pod` requests or limits. Others are not called for the pod.
bool IsInterested(const ExtenderConfig& extender, const api::Pod& pod);

// Returns the extenders in the order of calls: those that are not ignorable first; otherwise as
// configured.
std::vector<ExtenderConfig> InOrderOfUse(std::vector<ExtenderConfig> extenders);

// Returns what the extender's `score` adds to a node's total: the weighted score, scaled from 0..10
// to 0..100. Scores out of range are not clamped.
// DIFFERS: saturates far from the limits of int64_t, so that sums of contributions do not overflow.
int64_t Contribution(const ExtenderConfig& extender, int64_t score);

// Returns the error for a response with a status other than 200.
std::string StatusError(const ExtenderConfig& extender, ExtenderStep step, int status);

}  // namespace berth::scheduler::framework
