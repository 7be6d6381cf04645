#include "daemon/flag_groups.h"

#include <fmt/format.h>

#include <memory>

#include "base/go_duration.h"
#include "daemon/flag_values.h"

namespace berth::daemon {
namespace {

// Sets `value` to what `parse` makes of the text.
template <typename T, typename Parse>
std::function<Status(const std::string&)> Setter(T& value, Parse parse) {
  return [&value, parse](const std::string& text) -> Status {
    auto parsed = parse(text);
    if (!parsed) return std::unexpected(parsed.error());
    value = static_cast<T>(*std::move(parsed));
    return {};
  };
}

// The first call replaces what was there.
template <typename T>
void Extend(std::vector<T>& list, std::vector<T> more, bool& was_set) {
  if (!std::exchange(was_set, true)) list.clear();
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

Flag& FlagGroup::Other(std::string name, std::string type,
                       std::function<Status(const std::string&)> set,
                       std::function<std::string()> show, std::string help) {
  Flag flag;
  flag.name = std::move(name);
  flag.group = name_;
  flag.type = std::move(type);
  flag.help = std::move(help);
  flag.set = std::move(set);
  flag.show = std::move(show);
  return flags_.Add(std::move(flag));
}

Flag& FlagGroup::Switch(std::string name, bool& value, std::string help) {
  Flag& flag = Other(
      std::move(name), "", Setter(value, ParseBool), [&value] { return value ? "true" : "false"; },
      std::move(help));
  flag.implied = "true";
  return flag;
}

Flag& FlagGroup::Text(std::string name, std::string& value, std::string help) {
  return Other(
      std::move(name), "string",
      [&value](const std::string& text) -> Status {
        value = text;
        return {};
      },
      [&value] { return value; }, std::move(help));
}

Flag& FlagGroup::Address(std::string name, std::string& value, std::string help) {
  return Other(
      std::move(name), "ip", Setter(value, ParseIp), [&value] { return value; }, std::move(help));
}

Flag& FlagGroup::Int(std::string name, int64_t& value, std::string help) {
  return Other(
      std::move(name), "int",
      Setter(value, [](const std::string& text) { return ParseInt(text, 64); }),
      [&value] { return std::to_string(value); }, std::move(help));
}

Flag& FlagGroup::Int32(std::string name, int32_t& value, std::string help) {
  return Other(
      std::move(name), "int32",
      Setter(value, [](const std::string& text) { return ParseInt(text, 32); }),
      [&value] { return std::to_string(value); }, std::move(help));
}

Flag& FlagGroup::Float(std::string name, float& value, std::string help) {
  return Other(
      std::move(name), "float32", Setter(value, ParseFloat), [&value] { return ShowFloat(value); },
      std::move(help));
}

Flag& FlagGroup::Time(std::string name, Duration& value, std::string help) {
  return Other(
      std::move(name), "duration", Setter(value, ParseGoDuration),
      [&value] { return FormatGoDuration(value); }, std::move(help));
}

Flag& FlagGroup::Bytes(std::string name, size_t& value, std::string help) {
  return Other(
      std::move(name), "quantity", Setter(value, ParseBytes),
      [&value] { return std::to_string(value); }, std::move(help));
}

Flag& FlagGroup::Level(std::string name, int32_t& value, std::string help) {
  return Other(
      std::move(name), "Level", Setter(value, ParseLevel),
      [&value] { return std::to_string(value); }, std::move(help));
}

Flag& FlagGroup::List(std::string name, std::vector<std::string>& value, std::string help) {
  return Other(
      std::move(name), "strings",
      [&value, was_set = false](const std::string& text) mutable -> Status {
        auto list = ParseList(text);
        if (!list) return std::unexpected(list.error());
        Extend(value, *std::move(list), was_set);
        return {};
      },
      [&value] { return ShowList(value); }, std::move(help));
}

Flag& FlagGroup::Numbers(std::string name, std::vector<int32_t>& value, std::string help) {
  return Other(
      std::move(name), "int32Slice",
      [&value, was_set = false](const std::string& text) mutable -> Status {
        const auto list = ParseList(text);
        if (!list) return std::unexpected(list.error());
        std::vector<int32_t> numbers;
        for (const std::string& item : *list) {
          const auto number = ParseInt(item, 32);
          if (!number) return std::unexpected(number.error());
          numbers.push_back(static_cast<int32_t>(*number));
        }
        Extend(value, std::move(numbers), was_set);
        return {};
      },
      [&value] { return fmt::format("[{}]", fmt::join(value, ",")); }, std::move(help));
}

// The flags of the HTTPS port, and of who may use it.
namespace {

// cert,key or cert,key:name,name
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
                "The address to listen on for --secure-port. An unspecified one (0.0.0.0 or ::) "
                "stands for every address of the machine, IPv4 and IPv6.");
  group.Int("secure-port", serving.secure_port,
            "The port for HTTPS with authentication and authorization; 0 to serve nothing.");
  group.Switch("disable-http2-serving", serving.disable_http2, "Serves HTTP/1.1 only.");
  group.Text("cert-dir", serving.cert_dir,
             "The directory of kube-scheduler.crt and kube-scheduler.key, which are made if they "
             "are missing. Not used if --tls-cert-file and --tls-private-key-file are given.");
  group.Text("tls-cert-file", serving.tls_cert_file,
             "The certificate for HTTPS, followed by those of its authorities. Read again when it "
             "changes. Without it a self-signed one is made.");
  group.Text("tls-private-key-file", serving.tls_private_key_file, "The key of --tls-cert-file.");
  group.List("tls-cipher-suites", serving.tls_cipher_suites,
             "The cipher suites of TLS 1.2 and older, by their IANA names. Those of TLS 1.3 "
             "cannot be chosen. Without it OpenSSL's secure ones are used.");
  group.Numbers("tls-curve-preferences", serving.tls_curve_preferences,
                "The key exchange mechanisms, by their numbers: 23, 24, 25 (P-256, P-384, P-521) "
                "and 29 (X25519). Without it OpenSSL's are used.");
  group.Text("tls-min-version", serving.tls_min_version,
             "The oldest TLS to speak: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13. "
             "TLS 1.2 if not given.");
  group.Other(
      "tls-sni-cert-key", "namedCertKey",
      [&pairs = serving.tls_sni_cert_keys](const std::string& text) -> Status {
        auto pair = ParseSniPair(text);
        if (!pair) return std::unexpected(pair.error());
        pairs.push_back(*std::move(pair));
        return {};
      },
      [&pairs = serving.tls_sni_cert_keys] { return ShowSniPairs(pairs); },
      "A certificate and its key for clients that ask for a certain name: "
      "cert,key or cert,key:*.example.com,example.com. May be repeated.");
  group.Int("http2-max-streams-per-connection", serving.http2_max_streams,
            "How many requests at once a client may make on an HTTP/2 connection; 0 for Berth's "
            "own limit.");
  group.Switch("permit-port-sharing", serving.permit_port_sharing,
               "Lets other processes listen on the same address and port (SO_REUSEPORT).");
  group.Switch("permit-address-sharing", serving.permit_address_sharing,
               "Lets the port be used while old connections linger (SO_REUSEADDR). Berth does so "
               "in any case, as Go programs do.");
}

void AddAuthenticationFlags(FlagSet& flags, AuthenticationFlags& authentication) {
  FlagGroup group(flags, "authentication");
  RequestHeaderFlags& headers = authentication.request_header;
  group.Text("authentication-kubeconfig", authentication.kubeconfig,
             "The kubeconfig of the API server that reviews tokens "
             "(tokenreviews.authentication.k8s.io). Without it, and outside a cluster, tokens are "
             "not looked at and nothing is looked up in the cluster.");
  group.Switch("authentication-skip-lookup", authentication.skip_lookup,
               "Does not look up in the cluster what is not given here: the authorities of client "
               "certificates and front proxies.");
  group.Time("authentication-token-webhook-cache-ttl", authentication.token_cache_ttl,
             "How long the review of a token is remembered.");
  group.Switch("authentication-tolerate-lookup-failure", authentication.tolerate_lookup_failure,
               "Goes on if the look-up in the cluster fails. Everybody may then count as "
               "anonymous.");
  group.Text("client-ca-file", authentication.client_ca_file,
             "The authorities of client certificates. A client with such a certificate is the user "
             "of its common name. Without it they are looked up in the cluster.");
  group.Text("requestheader-client-ca-file", headers.client_ca_file,
             "The authorities of front proxies, whose headers say who the user is. Without it they "
             "are looked up in the cluster.");
  group.List("requestheader-allowed-names", headers.allowed_names,
             "The common names of front proxies. Without it every certificate of "
             "--requestheader-client-ca-file will do.");
  group.List("requestheader-username-headers", headers.username_headers,
             "The headers that name the user.");
  group.List("requestheader-uid-headers", headers.uid_headers,
             "The headers that name the user's UID.");
  group.List("requestheader-group-headers", headers.group_headers,
             "The headers that name the user's groups.");
  group.List("requestheader-extra-headers-prefix", headers.extra_header_prefixes,
             "What the names of headers with more about the user begin with.");
}

void AddAuthorizationFlags(FlagSet& flags, AuthorizationFlags& authorization) {
  FlagGroup group(flags, "authorization");
  group.Text("authorization-kubeconfig", authorization.kubeconfig,
             "The kubeconfig of the API server that reviews access "
             "(subjectaccessreviews.authorization.k8s.io). Without it, and outside a cluster, "
             "everything that is not always allowed is forbidden.");
  group.List("authorization-always-allow-paths", authorization.always_allow_paths,
             "Paths that everybody may ask for; one with * at its end stands for all that begin "
             "so.");
  group.Time("authorization-webhook-cache-authorized-ttl", authorization.authorized_ttl,
             "How long it is remembered that somebody may do something.");
  group.Time("authorization-webhook-cache-unauthorized-ttl", authorization.unauthorized_ttl,
             "How long it is remembered that somebody may not do something.");
}

// The flags beyond the HTTPS port: election, logs, metrics, features, and the deprecated ones.
namespace {

constexpr const char* kIgnoredWithFile = " Ignored if --config is given.";

std::string TrimSpaces(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

// "kube:Gate=true" counts once for itself; a component in front of it is shown apart.
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
                   std::string("offers /debug/flags/v. Berth has no Go profiles: /debug/pprof "
                               "says so.") +
                       kIgnoredWithFile),
      "use enableProfiling in the file of --config instead");
  say(group.Switch("contention-profiling", deprecated.contention_profiling,
                   std::string("has no effect: there is no Go runtime whose blocking could be "
                               "profiled.") +
                       kIgnoredWithFile),
      "use enableContentionProfiling in the file of --config instead; it has no effect in Berth");
  say(group.Text("kubeconfig", deprecated.kubeconfig,
                 std::string("where the API server is, and how to get in; in-cluster if empty.") +
                     kIgnoredWithFile),
      "use clientConnection.kubeconfig in the file of --config instead");
  say(group.Text("kube-api-content-type", deprecated.content_type,
                 std::string("the form of requests to the API server.") + kIgnoredWithFile),
      "use clientConnection.contentType in the file of --config instead");
  say(group.Float(
          "kube-api-qps", deprecated.qps,
          std::string("how many requests a second to send to the API server.") + kIgnoredWithFile),
      "use clientConnection.qps in the file of --config instead");
  say(group.Int32(
          "kube-api-burst", deprecated.burst,
          std::string("how many requests to send at once to the API server.") + kIgnoredWithFile),
      "use clientConnection.burst in the file of --config instead");
  say(group.Time("pod-max-in-unschedulable-pods-duration", deprecated.max_in_unschedulable,
                 "how long a pod that could not be scheduled waits at most before it is tried "
                 "again."),
      "it will be removed in a future version");
}

void AddLeaderElectionFlags(FlagSet& flags, scheduler::config::LeaderElection& election) {
  FlagGroup group(flags, "leader election");
  group.Switch("leader-elect", election.leader_elect,
               "Schedules only while holding a lease, so that of several schedulers one works.");
  group.Time("leader-elect-lease-duration", election.lease_duration,
             "How long a lease that nobody renews is left to its holder.");
  group.Time("leader-elect-renew-deadline", election.renew_deadline,
             "How long the leader tries to renew its lease before it gives up. Less than the "
             "lease's duration.");
  group.Time("leader-elect-retry-period", election.retry_period,
             "The time between tries to get or renew the lease.");
  group.Text("leader-elect-resource-lock", election.resource_lock,
             "The kind of object that is the lock; 'leases' is the only one.");
  group.Text("leader-elect-resource-name", election.resource_name, "The name of the lease.");
  group.Text("leader-elect-resource-namespace", election.resource_namespace,
             "The namespace of the lease.");
}

void AddFeatureFlags(FlagSet& flags, FeatureFlags& features) {
  FlagGroup group(flags, "feature gate");
  group.List("emulated-version", features.emulated_version,
             "The version to behave like: 1.36 or kube=1.36, the only one that Berth knows.");
  group.List("min-compatibility-version", features.min_compatibility_version,
             "The oldest version of other components to get along with: 1.33 to 1.36.");
  group.Other(
      "feature-gates", "colonSeparatedMultimapStringString",
      [&gates = features.gates](const std::string& text) -> Status {
        std::string_view rest = text;
        while (!rest.empty()) {
          const size_t end = std::min(rest.find(','), rest.size());
          if (std::string gate = TrimSpaces(rest.substr(0, end)); !gate.empty()) {
            gates.push_back(std::move(gate));
          }
          rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        return {};
      },
      [&gates = features.gates] { return ShowGates(gates); },
      "Features to switch on or off: Gate=true,Other=false or kube:Gate=true. May be repeated. "
      "Berth's docs/differences.md says which it can switch.");
}

void AddMetricsFlags(FlagSet& flags, MetricsFlags& metrics) {
  FlagGroup group(flags, "metrics");
  group.Text("show-hidden-metrics-for-version", metrics.show_hidden_for_version,
             "Shows metrics that were hidden in the version after this one, which must be the "
             "previous minor version.");
  group.List("disabled-metrics", metrics.disabled,
             "The full names of metrics that are not to be shown.");
  group.Other(
      "allow-metric-labels", "stringToString",
      [&labels = metrics.allowed_labels](const std::string& text) {
        return AddMetricLabels(text, labels);
      },
      [&labels = metrics.allowed_labels] { return ShowMetricLabels(labels); },
      "Which values a label may have, others being shown as 'unexpected': metric,label=a,b. May be "
      "repeated.");
  group.Text("allow-metric-labels-manifest", metrics.allowed_labels_manifest,
             "A file with such labels: allowListMapping: {\"metric,label\": \"a,b\"}. "
             "--allow-metric-labels goes before it.");
}

void AddLogFlags(FlagSet& flags, LogFlags& logs) {
  FlagGroup group(flags, "logs");
  group.Text("logging-format", logs.format, "The form of log lines: text or json.");
  group.Time("log-flush-frequency", logs.flush_frequency,
             "How long log lines are held back at most, where they are held back at all.");
  group.Level("v", logs.verbosity, "How much to log: the higher the more.").shorthand = 'v';
  group.Other(
      "vmodule", "pattern=N,...",
      [&modules = logs.vmodule](const std::string& text) -> Status {
        auto parsed = ParseVModule(text);
        if (!parsed) return std::unexpected(parsed.error());
        modules.insert(modules.end(), parsed->begin(), parsed->end());
        return {};
      },
      [&modules = logs.vmodule] { return ShowVModule(modules); },
      "Levels of single source files, by their names without ending; text format only.");
  constexpr const char* kGate = " Needs the feature gate LoggingAlphaOptions.";
  group.Switch(
      "log-text-split-stream", logs.text_split_stream,
      std::string("[Alpha] Text format: info lines go to stdout, others to stderr.") + kGate);
  group.Bytes("log-text-info-buffer-size", logs.text_info_buffer_bytes,
              std::string("[Alpha] Text format with split streams: how many bytes of info lines "
                          "are held back, such as 512, 1k or 2Ki.") +
                  kGate);
  group.Switch(
      "log-json-split-stream", logs.json_split_stream,
      std::string("[Alpha] JSON format: info lines go to stdout, others to stderr.") + kGate);
  group.Bytes("log-json-info-buffer-size", logs.json_info_buffer_bytes,
              std::string("[Alpha] JSON format with split streams: how many bytes of info lines "
                          "are held back.") +
                  kGate);
}

}  // namespace berth::daemon
