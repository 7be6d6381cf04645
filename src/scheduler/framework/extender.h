// ExtenderConfig is what the user says about one extender: an HTTP service that has a say in
// filtering, scoring, preemption or binding. The fields are those of KubeSchedulerConfiguration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object_fwd.h"
#include "base/time.h"

namespace berth::scheduler::framework {

// Base64 in the file.
struct Bytes {
  std::string bytes = {};
};

// Data goes before a file of the same.
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

// An empty verb: the extender does not take part in that step.
struct ExtenderConfig {
  std::string url_prefix;
  std::string filter_verb;
  std::string preempt_verb;
  std::string prioritize_verb;
  int64_t weight = 0;
  std::string bind_verb;
  bool enable_https = false;
  std::optional<ExtenderTls> tls;
  Duration http_timeout;  // 0 stands for 5 s; less than 0 for no limit.
  bool node_cache_capable = false;
  std::vector<ManagedResource> managed_resources;
  bool ignorable = false;
};

// Extenders: HTTP services that have a say in filtering, scoring, preemption or binding, beside the
// plugins.
//
// Here is who is asked what. extender_request.h says it in JSON, extender_answer.h reads what comes
// back; the calls themselves leave the engine as commands, and net/extender_caller.h makes them.
// The plugin name under which nodes that extenders removed are recorded.
inline constexpr std::string_view kExtenderPlugin = "Extender";

enum class ExtenderStep : uint8_t { kFilter, kPrioritize, kPreempt, kBind };

// The last part of the URL that `extender` is called at; empty if it has no part in `step`.
const std::string& VerbOf(const ExtenderConfig& extender, ExtenderStep step);
inline bool TakesPartIn(const ExtenderConfig& extender, ExtenderStep step) {
  return !VerbOf(extender, step).empty();
}

// The whole URL.
std::string UrlOf(const ExtenderConfig& extender, ExtenderStep step);

// True if the extender manages no resource in particular, or one that a container or init container
// of `pod` requests or limits. Others are not asked about the pod.
bool IsInterested(const ExtenderConfig& extender, const api::Pod& pod);

// Extenders are asked in this order: those that may not fail first; otherwise as configured.
std::vector<ExtenderConfig> InOrderOfUse(std::vector<ExtenderConfig> extenders);

// What `score`, given by the extender, adds to a node's total: the weighted score, brought from a
// range of 0 to 10 to one of 0 to 100. Scores out of range count as they are.
// DIFFERS: saturates far from the limits of int64_t, so that sums of contributions do not overflow.
int64_t Contribution(const ExtenderConfig& extender, int64_t score);

// The error for an answer with another status than 200.
std::string StatusError(const ExtenderConfig& extender, ExtenderStep step, int status);

}  // namespace berth::scheduler::framework
