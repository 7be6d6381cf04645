#include "daemon/flag_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daemon/flag_values.h"
#include "features/feature_gates.h"
#include "features/gate_completion.h"
#include "flags/flag_group.h"

namespace berth::daemon {
namespace {

using flags::Flag;
using flags::FlagGroup;
using flags::FlagSet;
using flags::ParseList;

Flag& AddBytes(FlagGroup& group, std::string name, size_t& value, std::string help) {
  const auto show = [](size_t bytes) { return std::to_string(bytes); };
  return group.Parsed(std::move(name), "quantity", value, ParseBytes, show, std::move(help));
}

// --- the HTTPS port, authentication and authorization ---

// Parses cert,key or cert,key:name,name.
Result<SniPair> ParseSniPair(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string files = text.substr(0, colon);
  const size_t comma = files.find(',');
  if (comma == files.npos || files.find(',', comma + 1) != files.npos || comma == 0 ||
      comma + 1 == files.size()) {
    return Fail("expected comma separated certificate and key file paths");
  }
  SniPair pair{files.substr(0, comma), files.substr(comma + 1), {}};
  if (colon == text.npos) return pair;
  auto names = ParseList(std::string_view(text).substr(colon + 1));
  if (!names) return std::unexpected(names.error());
  pair.names = *std::move(names);
  return pair;
}

std::string ShowSniPairs(const std::vector<SniPair>& pairs) {
  std::vector<std::string> texts;
  for (const SniPair& pair : pairs) {
    std::string text = pair.cert_file + "," + pair.key_file;
    if (!pair.names.empty()) text += fmt::format(":{}", fmt::join(pair.names, ","));
    texts.push_back(std::move(text));
  }
  return fmt::format("[{}]", fmt::join(texts, ";"));
}

}  // namespace

void AddServingFlags(FlagSet& flags, ServingFlags& serving) {
  FlagGroup group(flags, "secure serving");
  group.Address("bind-address", serving.bind_address,
                "IP address on which to listen for --secure-port. An unspecified address (0.0.0.0 "
                "or ::) means all interfaces and IP families.");
  group.Int("secure-port", serving.secure_port,
            "Port for HTTPS with authentication and authorization; 0 disables it.");
  group.Switch("disable-http2-serving", serving.disable_http2, "Do not serve HTTP/2.");
  group
      .Text("cert-dir", serving.cert_dir,
            "Directory of kube-scheduler.crt and kube-scheduler.key, which are generated if they "
            "do not exist. Ignored if --tls-cert-file and --tls-private-key-file are set.")
      .Completes(flags::Directories());
  group
      .Text("tls-cert-file", serving.tls_cert_file,
            "File with the x509 certificate for HTTPS, followed by its intermediates; reloaded "
            "when it changes. If not set, a self-signed certificate is generated.")
      .Completes(flags::Files());
  group
      .Text("tls-private-key-file", serving.tls_private_key_file,
            "File with the x509 private key matching --tls-cert-file.")
      .Completes(flags::Files());
  group.List("tls-cipher-suites", serving.tls_cipher_suites,
             "Cipher suites for TLS 1.2 and older, by IANA name; those of TLS 1.3 cannot be "
             "configured. Default: OpenSSL's.");
  group.Numbers("tls-curve-preferences", serving.tls_curve_preferences,
                "Key exchange mechanisms, by number: 23, 24, 25 (P-256, P-384, P-521) and 29 "
                "(X25519). Default: OpenSSL's.");
  group
      .Text("tls-min-version", serving.tls_min_version,
            "Minimum TLS version: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13. "
            "Default: TLS 1.2.")
      .Completes(flags::Words({"VersionTLS10", "VersionTLS11", "VersionTLS12", "VersionTLS13"}));
  group.Other(
      "tls-sni-cert-key", "namedCertKey",
      [&pairs = serving.tls_sni_cert_keys](const std::string& text) -> Status {
        auto pair = ParseSniPair(text);
        if (!pair) return std::unexpected(pair.error());
        pairs.push_back(*std::move(pair));
        return {};
      },
      [&pairs = serving.tls_sni_cert_keys] { return ShowSniPairs(pairs); },
      "x509 certificate and private key for SNI, with optional domain patterns: "
      "cert,key or cert,key:*.example.com,example.com. May be repeated.");
  group.Int("http2-max-streams-per-connection", serving.http2_max_streams,
            "Maximum number of streams per HTTP/2 connection; 0 uses the built-in limit.");
  group.Switch(
      "permit-port-sharing", serving.permit_port_sharing,
      "Use SO_REUSEPORT, so that more than one process can bind the same address and port.");
  group.Switch("permit-address-sharing", serving.permit_address_sharing,
               "Use SO_REUSEADDR. Berth always does, as Go programs do.");
}

void AddAuthenticationFlags(FlagSet& flags, AuthenticationFlags& authentication) {
  FlagGroup group(flags, "authentication");
  RequestHeaderFlags& headers = authentication.request_header;
  group
      .Text("authentication-kubeconfig", authentication.kubeconfig,
            "Kubeconfig of the API server that reviews tokens "
            "(tokenreviews.authentication.k8s.io). If not set outside a cluster, tokens are "
            "ignored and no client CA is looked up.")
      .Completes(flags::Files());
  group.Switch(
      "authentication-skip-lookup", authentication.skip_lookup,
      "Do not look up missing authentication configuration (client CA, request header CA) in "
      "the cluster.");
  group.Time("authentication-token-webhook-cache-ttl", authentication.token_cache_ttl,
             "How long to cache token reviews.");
  group.Switch("authentication-tolerate-lookup-failure", authentication.tolerate_lookup_failure,
               "Continue if the lookup fails; requests may then be anonymous.");
  group
      .Text("client-ca-file", authentication.client_ca_file,
            "CA bundle for client certificates; the common name is the user. If not set, it is "
            "looked up in the cluster.")
      .Completes(flags::Files());
  group
      .Text("requestheader-client-ca-file", headers.client_ca_file,
            "CA bundle for client certificates of front proxies, whose headers identify the user. "
            "If not set, it is looked up in the cluster.")
      .Completes(flags::Files());
  group.List("requestheader-allowed-names", headers.allowed_names,
             "Allowed common names of front proxies. If empty, any certificate signed by "
             "--requestheader-client-ca-file is allowed.");
  group.List("requestheader-username-headers", headers.username_headers,
             "Request headers with the user name.");
  group.List("requestheader-uid-headers", headers.uid_headers, "Request headers with the UID.");
  group.List("requestheader-group-headers", headers.group_headers, "Request headers with groups.");
  group.List("requestheader-extra-headers-prefix", headers.extra_header_prefixes,
             "Prefixes of request headers with extra user information.");
}

void AddAuthorizationFlags(FlagSet& flags, AuthorizationFlags& authorization) {
  FlagGroup group(flags, "authorization");
  group
      .Text("authorization-kubeconfig", authorization.kubeconfig,
            "Kubeconfig of the API server that reviews access "
            "(subjectaccessreviews.authorization.k8s.io). If not set outside a cluster, only "
            "--authorization-always-allow-paths are allowed.")
      .Completes(flags::Files());
  group.List("authorization-always-allow-paths", authorization.always_allow_paths,
             "HTTP paths that need no authorization; a trailing * matches any suffix.");
  group.Time("authorization-webhook-cache-authorized-ttl", authorization.authorized_ttl,
             "How long to cache 'authorized' responses.");
  group.Time("authorization-webhook-cache-unauthorized-ttl", authorization.unauthorized_ttl,
             "How long to cache 'unauthorized' responses.");
}

// --- leader election, logs, metrics, feature gates and deprecated flags ---
namespace {

constexpr const char* kIgnoredWithFile = " Ignored if --config is given.";

// Each setting is shown with its component, which may be empty: "kube:Gate=true", ":Gate=true".
std::string ShowGates(const std::vector<std::string>& gates) {
  std::vector<std::string> texts;
  for (const std::string& gate : gates) {
    texts.push_back(gate.contains(':') ? gate : ":" + gate);
  }
  return fmt::format("{}", fmt::join(texts, ","));
}

}  // namespace

void AddDeprecatedFlags(FlagSet& flags, DeprecatedFlags& deprecated) {
  FlagGroup group(flags, "deprecated");
  const auto say = [](Flag& flag, const char* instead) {
    flag.help = "DEPRECATED: " + flag.help;
    flag.deprecated = instead;
  };
  say(group.Switch("profiling", deprecated.profiling,
                   std::string("enable /debug/flags/v. /debug/pprof returns 501: Berth has no Go "
                               "runtime.") +
                       kIgnoredWithFile),
      "use enableProfiling in the file of --config instead");
  say(group.Switch("contention-profiling", deprecated.contention_profiling,
                   std::string("no effect: Berth has no Go runtime.") + kIgnoredWithFile),
      "use enableContentionProfiling in the file of --config instead; it has no effect in Berth");
  say(group
          .Text("kubeconfig", deprecated.kubeconfig,
                std::string("kubeconfig file with server and credentials; in-cluster if empty.") +
                    kIgnoredWithFile)
          .Completes(flags::Files()),
      "use clientConnection.kubeconfig in the file of --config instead");
  say(group
          .Text("kube-api-content-type", deprecated.content_type,
                std::string("content type of requests to the API server.") + kIgnoredWithFile)
          .Completes(flags::Words({"application/json", "application/vnd.kubernetes.protobuf"})),
      "use clientConnection.contentType in the file of --config instead");
  say(group.Float("kube-api-qps", deprecated.qps,
                  std::string("QPS to use while talking with the API server.") + kIgnoredWithFile),
      "use clientConnection.qps in the file of --config instead");
  say(group.Int32(
          "kube-api-burst", deprecated.burst,
          std::string("burst to use while talking with the API server.") + kIgnoredWithFile),
      "use clientConnection.burst in the file of --config instead");
  say(group.Time(
          "pod-max-in-unschedulable-pods-duration", deprecated.max_in_unschedulable,
          "maximum time that a pod stays among the unschedulable pods before it is retried."),
      "it will be removed in a future version");
}

void AddLeaderElectionFlags(FlagSet& flags, scheduler::config::LeaderElection& election) {
  FlagGroup group(flags, "leader election");
  group.Switch("leader-elect", election.leader_elect,
               "Schedule only while holding the leader lease. Enable it when running replicas.");
  group.Time("leader-elect-lease-duration", election.lease_duration,
             "How long non-leaders wait, after the last renewal, before they acquire the lease.");
  group.Time("leader-elect-renew-deadline", election.renew_deadline,
             "How long the leader retries to renew before it stops leading. Must be less than the "
             "lease duration.");
  group.Time("leader-elect-retry-period", election.retry_period,
             "Time between attempts to acquire or renew the lease.");
  group
      .Text("leader-elect-resource-lock", election.resource_lock,
            "Type of the lock object; only 'leases' is supported.")
      .Completes(flags::Words({"leases"}));
  group.Text("leader-elect-resource-name", election.resource_name, "Name of the lease.");
  group.Text("leader-elect-resource-namespace", election.resource_namespace,
             "Namespace of the lease.");
}

void AddFeatureFlags(FlagSet& flags, FeatureFlags& features) {
  FlagGroup group(flags, "feature gate");
  group.List("emulated-version", features.emulated_version,
             "Version to emulate; Berth supports only 1.36 (or kube=1.36).");
  group.List("min-compatibility-version", features.min_compatibility_version,
             "Minimum version of other components: 1.33 to 1.36.");
  group
      .Other(
          "feature-gates", "colonSeparatedMultimapStringString",
          [&gates = features.gates](const std::string& text) -> Status {
            for (std::string& gate : features::SplitSettings(text))
              gates.push_back(std::move(gate));
            return {};
          },
          [&gates = features.gates] { return ShowGates(gates); },
          "Feature gates: Gate=true,Other=false or kube:Gate=true. May be repeated. "
          "docs/differences.md lists those that can be changed.")
      .Completes(features::GateSettings());
}

void AddMetricsFlags(FlagSet& flags, MetricsFlags& metrics) {
  FlagGroup group(flags, "metrics");
  group.Text("show-hidden-metrics-for-version", metrics.show_hidden_for_version,
             "Previous minor version for which to show metrics that are hidden now.");
  group.List("disabled-metrics", metrics.disabled, "Fully qualified names of metrics to disable.");
  group.Other(
      "allow-metric-labels", "stringToString",
      [&labels = metrics.allowed_labels](const std::string& text) {
        return AddMetricLabels(text, labels);
      },
      [&labels = metrics.allowed_labels] { return ShowMetricLabels(labels); },
      "Allowed label values, others are exposed as 'unexpected': metric,label=a,b. May be "
      "repeated.");
  group
      .Text("allow-metric-labels-manifest", metrics.allowed_labels_manifest,
            "File with allowed label values: allowListMapping: {\"metric,label\": \"a,b\"}. "
            "--allow-metric-labels takes precedence.")
      .Completes(flags::Files());
}

void AddLogFlags(FlagSet& flags, LogFlags& logs) {
  FlagGroup group(flags, "logs");
  group.Text("logging-format", logs.format, "Log format: text or json.")
      .Completes(flags::Words({"text", "json"}));
  group.Time("log-flush-frequency", logs.flush_frequency,
             "Maximum time between log flushes, if log lines are buffered.");
  group.Level("v", logs.verbosity, "Log level verbosity.").Short('v');
  group.Other(
      "vmodule", "pattern=N,...",
      [&modules = logs.vmodule](const std::string& text) -> Status {
        auto parsed = ParseVModule(text);
        if (!parsed) return std::unexpected(parsed.error());
        modules.insert(modules.end(), parsed->begin(), parsed->end());
        return {};
      },
      [&modules = logs.vmodule] { return ShowVModule(modules); },
      "Log levels per source file (name without extension); text format only.");
  constexpr const char* kGate = " Requires the feature gate LoggingAlphaOptions.";
  group.Switch(
      "log-text-split-stream", logs.text_split_stream,
      std::string("[Alpha] Text format: write info lines to stdout and errors to stderr.") + kGate);
  AddBytes(group, "log-text-info-buffer-size", logs.text_info_buffer_bytes,
           std::string("[Alpha] Text format with split streams: buffer size for info lines, "
                       "such as 512, 1k or 2Ki.") +
               kGate);
  group.Switch(
      "log-json-split-stream", logs.json_split_stream,
      std::string("[Alpha] JSON format: write info lines to stdout and errors to stderr.") + kGate);
  AddBytes(
      group, "log-json-info-buffer-size", logs.json_info_buffer_bytes,
      std::string("[Alpha] JSON format with split streams: buffer size for info lines.") + kGate);
}

}  // namespace berth::daemon
