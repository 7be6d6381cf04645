// DaemonFlags is the parsed command line of berth-scheduler: kube-scheduler's flags and three of
// Berth's own.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "daemon/flag_values.h"
#include "flags/flag_set.h"
#include "ledger/ledger.h"
#include "scheduler/config/configuration.h"

namespace berth::daemon {

// A certificate for clients that request one of `names`; if empty, one of the names in it.
struct SniPair {
  std::string cert_file;
  std::string key_file;
  std::vector<std::string> names;

  friend bool operator==(const SniPair&, const SniPair&) = default;
};

struct ServingFlags {
  std::string bind_address = "0.0.0.0";
  int64_t secure_port = 10259;  // 0: no server.
  std::string cert_dir;
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::vector<std::string> tls_cipher_suites;
  std::vector<int32_t> tls_curve_preferences;
  std::string tls_min_version;
  std::vector<SniPair> tls_sni_cert_keys;
  int64_t http2_max_streams = 0;
  bool disable_http2 = false;
  bool permit_port_sharing = false;
  bool permit_address_sharing = false;
};

struct RequestHeaderFlags {
  std::string client_ca_file;
  std::vector<std::string> allowed_names;
  std::vector<std::string> username_headers = {"x-remote-user"};
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers = {"x-remote-group"};
  std::vector<std::string> extra_header_prefixes = {"x-remote-extra-"};
};

struct AuthenticationFlags {
  std::string kubeconfig;
  bool skip_lookup = false;
  Duration token_cache_ttl = Duration::Seconds(10);
  bool tolerate_lookup_failure = true;
  std::string client_ca_file;
  RequestHeaderFlags request_header;
};

struct AuthorizationFlags {
  std::string kubeconfig;
  std::vector<std::string> always_allow_paths = {"/healthz", "/readyz", "/livez"};
  Duration authorized_ttl = Duration::Seconds(10);
  Duration unauthorized_ttl = Duration::Seconds(10);
};

struct DeprecatedFlags {
  std::string kubeconfig;
  bool profiling = true;
  bool contention_profiling = true;
  std::string content_type = "application/vnd.kubernetes.protobuf";
  float qps = 50;
  int32_t burst = 100;
  Duration max_in_unschedulable = Duration::Seconds(300);
};

struct FeatureFlags {
  std::vector<std::string> gates;  // "Gate=true", "kube:Gate=true", in order.
  std::vector<std::string> emulated_version;
  std::vector<std::string> min_compatibility_version;
};

struct MetricsFlags {
  std::string show_hidden_for_version;
  std::vector<std::string> disabled;
  MetricLabels allowed_labels;
  std::string allowed_labels_manifest;
};

struct LogFlags {
  std::string format = "text";
  Duration flush_frequency = Duration::Seconds(5);
  int32_t verbosity = 0;
  std::vector<observability::VModule> vmodule;
  bool text_split_stream = false;
  bool json_split_stream = false;
  size_t text_info_buffer_bytes = 0;
  size_t json_info_buffer_bytes = 0;
};

struct DaemonFlags {
  std::string config;
  std::string write_config_to;
  std::string master;
  ServingFlags serving;
  AuthenticationFlags authentication;
  AuthorizationFlags authorization;
  DeprecatedFlags deprecated;
  scheduler::config::LeaderElection leader_election;
  FeatureFlags features;
  MetricsFlags metrics;
  LogFlags logs;
  // "true", "raw", or a version to report, which starts with "v".
  std::string version = "false";
  bool help = false;

  // Berth's own flags.
  bool shadow = false;
  std::string record;
  size_t record_size = size_t{1} << 30;
  size_t record_files = 4;
  bool paranoid = false;
  bool dashboard = false;
  size_t memory_limit = 0;              // 0: that of the cgroup.
  std::optional<Duration> stuck_after;  // Default: the renew deadline. 0: no watchdog.
  ledger::LedgerOptions ledger;

  // The names of the flags on the command line.
  std::set<std::string, std::less<>> given;
  // All flags with their values as text, as on /flagz.
  std::map<std::string, std::string> values;
  // The arguments that are not flags.
  std::vector<std::string> positional;
  // Warnings about deprecated flags on the command line.
  std::vector<std::string> warnings;

  bool is_given(std::string_view name) const { return given.contains(name); }
};

// Adds all flags to `set`, which set `flags`.
void AddAllFlags(flags::FlagSet& set, DaemonFlags& flags);

// Parses the arguments after the program's name. The error is kube-scheduler's, without "Error: ".
Result<DaemonFlags> ParseFlags(std::span<const std::string> arguments);

// Fails if there are arguments other than flags.
Status CheckNoArguments(const DaemonFlags& flags);

// Return the text of --help, and the usage that precedes an error about a flag; see FlagSet::Help.
std::string HelpText(size_t columns = 0);
std::string UsageText(size_t columns = 0);

}  // namespace berth::daemon
