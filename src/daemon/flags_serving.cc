// The flags of the HTTPS port, and of who may use it.

#include <fmt/format.h>

#include "daemon/flag_group.h"

namespace berth::daemon {
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

}  // namespace berth::daemon
