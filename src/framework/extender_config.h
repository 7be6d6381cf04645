// ExtenderConfig is what the user says about one extender: an HTTP service that has a say in
// filtering, scoring, preemption or binding. The fields are those of KubeSchedulerConfiguration.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace berth {

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

}  // namespace berth
