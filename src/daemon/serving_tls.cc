#include "daemon/serving_tls.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/text.h"
#include "net/certificates.h"

namespace berth::daemon {
namespace {

constexpr std::string_view kPairName = "kube-scheduler";

Result<net::TlsVersion> ToVersion(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, net::TlsVersion>, 5> kVersions = {{
      {"", net::TlsVersion::k12},
      {"VersionTLS10", net::TlsVersion::k10},
      {"VersionTLS11", net::TlsVersion::k11},
      {"VersionTLS12", net::TlsVersion::k12},
      {"VersionTLS13", net::TlsVersion::k13},
  }};
  for (const auto& [known, version] : kVersions) {
    if (name == known) return version;
  }
  return Fail("unknown tls version " + GoQuote(std::string_view(name)));
}

// Go's numbers are those of the TLS registry.
Result<std::string> ToGroup(int32_t id) {
  constexpr std::array<std::pair<int32_t, const char*>, 4> kGroups = {
      {{23, "P-256"}, {24, "P-384"}, {25, "P-521"}, {29, "X25519"}}};
  for (const auto& [known, name] : kGroups) {
    if (id == known) return name;
  }
  return Fail(fmt::format("--tls-curve-preferences: {} is not one of 23, 24, 25 and 29", id));
}

bool IsUnspecified(const std::string& address) { return address == "0.0.0.0" || address == "::"; }

Result<net::KeyPair> MakePair(const ServingFlags& flags) {
  const auto authority = net::MakeCertificateAuthority("localhost-ca");
  if (!authority) return authority;
  std::vector<std::string> names;
  if (!IsUnspecified(flags.bind_address)) names.push_back(flags.bind_address);
  auto pair = net::IssueServerCertificate(*authority, names);
  // The file includes the authority, for clients that want to trust it.
  if (pair) pair->certificate += authority->certificate;
  return pair;
}

Status WriteFile(const std::string& path, const std::string& text, mode_t mode) {
  // The file must not be readable by others at any time.
  const mode_t old_mask = ::umask(0777 & ~mode);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  ::umask(old_mask);
  file << text;
  file.close();
  if (file.fail()) return Fail(fmt::format("open {}: {}", path, std::strerror(errno)));
  return {};
}

Status FillDirectory(const ServingFlags& flags, const std::string& cert_file,
                     const std::string& key_file, const std::function<void(std::string)>& note) {
  const auto pair = MakePair(flags);
  if (!pair) return std::unexpected(pair.error());
  std::error_code error;
  std::filesystem::create_directories(flags.cert_dir, error);
  if (error) return Fail(fmt::format("mkdir {}: {}", flags.cert_dir, error.message()));
  if (auto status = WriteFile(cert_file, pair->certificate, 0644); !status) return status;
  if (auto status = WriteFile(key_file, pair->key, 0600); !status) return status;
  note(fmt::format("Generated self-signed cert ({}, {})", cert_file, key_file));
  return {};
}

}  // namespace

Result<net::ServerTlsOptions> TlsChoices(const ServingFlags& flags) {
  net::ServerTlsOptions options;
  const auto version = ToVersion(flags.tls_min_version);
  if (!version) return std::unexpected(version.error());
  options.min_version = *version;
  options.http2 = !flags.disable_http2;
  for (const std::string& suite : flags.tls_cipher_suites) {
    if (!net::IsCipherSuite(suite)) {
      return Fail(fmt::format("Cipher suite {} not supported or doesn't exist", suite));
    }
    options.cipher_suites.push_back(suite);
  }
  for (const int32_t id : flags.tls_curve_preferences) {
    auto group = ToGroup(id);
    if (!group) return std::unexpected(group.error());
    options.groups.push_back(*std::move(group));
  }
  return options;
}

Result<net::ServerTlsOptions> ServingTls(const ServingFlags& flags,
                                         const std::function<void(std::string)>& note) {
  auto options = TlsChoices(flags);
  if (!options) return options;
  // Authorities change while the server runs: certificates are verified per request.
  options->any_client_certificate = true;
  options->cert_file = flags.tls_cert_file;
  options->key_file = flags.tls_private_key_file;
  for (const SniPair& pair : flags.tls_sni_cert_keys) {
    options->named.push_back({pair.cert_file, pair.key_file, pair.names});
  }
  if (!flags.tls_cert_file.empty() || !flags.tls_private_key_file.empty()) return options;
  if (flags.cert_dir.empty()) {
    const auto pair = MakePair(flags);
    if (!pair) return std::unexpected(pair.error());
    options->cert_data = pair->certificate;
    options->key_data = pair->key;
    note("Generated self-signed cert in-memory");
    return options;
  }
  options->cert_file = fmt::format("{}/{}.crt", flags.cert_dir, kPairName);
  options->key_file = fmt::format("{}/{}.key", flags.cert_dir, kPairName);
  std::error_code ignored;
  const bool has_cert = std::filesystem::exists(options->cert_file, ignored);
  const bool has_key = std::filesystem::exists(options->key_file, ignored);
  if (has_cert != has_key) {
    return Fail(fmt::format("{} is there, but {} is not",
                            has_cert ? options->cert_file : options->key_file,
                            has_cert ? options->key_file : options->cert_file));
  }
  if (has_cert) return options;
  const auto status = FillDirectory(flags, options->cert_file, options->key_file, note);
  if (!status) return std::unexpected(status.error());
  return options;
}

}  // namespace berth::daemon
