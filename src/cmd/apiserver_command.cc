#include "cmd/apiserver_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>
#include <string_view>
#include <utility>

#include "cmd/command_line.h"
#include "cmd/object_files.h"
#include "net/certificates.h"
#include "net/server_tls.h"
#include "runtime/stray_signals.h"

namespace berth::cmd {
namespace {

using apiserver::ApiServer;
using apiserver::ApiServerOptions;

// The server's certificate, and the CA that clients need to verify it.
struct Tls {
  std::shared_ptr<net::ServerTls> server;  // Null: plain HTTP.
  std::string ca;
};

Result<Tls> MakeTls(const ApiServerFlags& options) {
  const bool given = !options.tls_cert_file.empty() || !options.tls_private_key_file.empty();
  if (!options.tls && !given) {
    if (options.client_ca_file.empty()) return Tls{};
    return Fail("--client-ca-file requires --tls, or --tls-cert-file and --tls-private-key-file");
  }
  net::ServerTlsOptions tls;
  Tls made;
  if (given) {
    if (options.tls_cert_file.empty() || options.tls_private_key_file.empty()) {
      return Fail("--tls-cert-file and --tls-private-key-file must be set together");
    }
    tls.cert_file = options.tls_cert_file;
    tls.key_file = options.tls_private_key_file;
    auto certificate = ReadText(options.tls_cert_file);
    if (!certificate) return std::unexpected(certificate.error());
    made.ca = *std::move(certificate);
  } else {
    const auto authority = net::MakeCertificateAuthority("berth");
    if (!authority) return std::unexpected(authority.error());
    auto own = net::IssueServerCertificate(*authority, {options.address});
    if (!own) return std::unexpected(own.error());
    tls.cert_data = std::move(own->certificate);
    tls.key_data = std::move(own->key);
    made.ca = authority->certificate;
  }
  tls.client_ca_file = options.client_ca_file;
  auto server = net::ServerTls::Create(tls);
  if (!server) return std::unexpected(server.error());
  made.server = *std::move(server);
  return made;
}

Result<apiserver::registry::AccessOptions> MakeAccess(const ApiServerFlags& options) {
  apiserver::registry::AccessOptions access;
  access.client_certificates = !options.client_ca_file.empty();
  access.allow_anonymous = options.allow_anonymous;
  if (options.token_auth_file.empty()) return access;
  const auto text = ReadText(options.token_auth_file);
  if (!text) return std::unexpected(text.error());
  auto tokens = apiserver::registry::ParseTokenFile(*text);
  if (!tokens) return Fail(options.token_auth_file + ": " + tokens.error().message);
  access.tokens = *std::move(tokens);
  return access;
}

// Writes a file that only the owner can read: it may contain a token.
Status WriteSecret(const std::string& path, std::string_view text) {
  const auto failed = [&] { return Fail(fmt::format("{}: {}", path, std::strerror(errno))); };
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return failed();
  bool written = fchmod(file, S_IRUSR | S_IWUSR) == 0;
  while (written && !text.empty()) {
    const ssize_t count = write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    written = count >= 0;
    if (written) text.remove_prefix(static_cast<size_t>(count));
  }
  const Status status = written ? Status() : failed();
  close(file);
  return status;
}

std::string ShellQuoted(const std::string& text) {
  const bool plain = text.find_first_not_of(
                         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                         "_-./+:@%") == text.npos;
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  // Closing the terminal stops the program, unless it was started with nohup.
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

Result<RunningApiServer> StartApiServer(const ApiServerFlags& options, const Clock* clock) {
  auto access = MakeAccess(options);
  if (!access) return std::unexpected(access.error());
  auto tls = MakeTls(options);
  if (!tls) return std::unexpected(tls.error());
  RunningApiServer started;
  started.ca = std::move(tls->ca);
  if (!access->tokens.empty()) {
    started.token = access->tokens.front().secret;
  } else if (tls->server != nullptr && !access->client_certificates) {
    // Anonymous requests are allowed, but kubectl prompts for a user if the kubeconfig has none.
    started.token = "anyone";
  }
  std::random_device random;
  ApiServerOptions server{.address = options.address,
                          .port = options.port,
                          .threads = options.threads,
                          .data_dir = options.data_dir,
                          .history = options.history,
                          .tls = std::move(tls->server),
                          .access = *std::move(access),
                          .seed = uint64_t{random()} << 32 | random(),
                          .clock = clock};
  auto running = ApiServer::Start(std::move(server));
  if (!running) return std::unexpected(running.error());
  started.server = *std::move(running);
  return started;
}

Status WriteKubeconfig(const std::string& path, const RunningApiServer& api) {
  return WriteSecret(path, apiserver::KubeconfigText(api.server->url(), api.ca, api.token));
}

std::string ExportLine(const std::string& path) {
  const std::string whole = std::filesystem::absolute(path).lexically_normal();
  return "export KUBECONFIG=" + ShellQuoted(whole);
}

void BlockSignals() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  runtime::BlockStraySignals();
}

bool WaitForSignal() {
  while (!WaitForSignal(Duration::Seconds(3600))) {
  }
  return true;
}

bool WaitForSignal(Duration limit) {
  const sigset_t signals = StopSignals();
  constexpr Duration kSecond = Duration::Seconds(1);
  const timespec time{limit / kSecond, (limit % kSecond).nanos};
  if (sigtimedwait(&signals, nullptr, &time) < 0) return false;
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  return true;
}

void AddApiServerFlags(CLI::App& command, ApiServerFlags& options) {
  command.add_option("--address", options.address, "Address to listen on")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command.add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--data-dir", options.data_dir,
                  "Persist objects in this directory (default: in memory)")
      ->type_name("DIR");
  command.add_option("--kubeconfig", options.kubeconfig, "Write a kubeconfig file for this server")
      ->type_name("FILE");
  command.add_flag("--tls", options.tls,
                   "Serve HTTPS; generates a self-signed certificate if none is given");
  command
      .add_option("--tls-cert-file", options.tls_cert_file,
                  "x509 certificate for HTTPS (PEM), followed by its intermediates")
      ->type_name("FILE");
  command
      .add_option("--tls-private-key-file", options.tls_private_key_file,
                  "Private key (PEM) matching --tls-cert-file")
      ->type_name("FILE");
  command
      .add_option("--client-ca-file", options.client_ca_file,
                  "Authenticate client certificates signed by this CA bundle (PEM)")
      ->type_name("FILE");
  command
      .add_option("--token-auth-file", options.token_auth_file,
                  "Static token file; each line is token,user,uid,\"group1,group2\"")
      ->type_name("FILE");
  command.add_flag("--insecure-allow-anonymous", options.allow_anonymous,
                   "Allow anonymous requests, with full access");
  command.add_option("--threads", options.threads, "Number of threads that serve requests")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""))
      ->capture_default_str();
  command
      .add_option("--history", options.history,
                  "Watch history: number of events retained per resource (watches from older "
                  "resourceVersions get 410)")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000'000).description(""))
      ->capture_default_str();
}

namespace {

constexpr std::chrono::milliseconds kStopGrace{2000};

Status Announce(const ApiServerFlags& options, const RunningApiServer& served) {
  const std::string url = served.server->url();
  fmt::print("listening on {}\n", url);
  if (options.kubeconfig.empty()) {
    fmt::print("try: kubectl --server={} get namespaces\n", url);
    if (!served.ca.empty()) {
      fmt::print("use --kubeconfig FILE to write a kubeconfig for kubectl\n");
    }
  } else {
    if (const auto written = WriteKubeconfig(options.kubeconfig, served); !written) return written;
    fmt::print("{}\n", ExportLine(options.kubeconfig));
  }
  std::fflush(stdout);
  return {};
}

int PrintError(const Error& error) {
  fmt::print(stderr, "berth apiserver: {}\n", error.message);
  return kExitFailed;
}

}  // namespace

int RunApiServer(const ApiServerFlags& options) {
  BlockSignals();
  const auto served = StartApiServer(options);
  if (!served) return PrintError(served.error());
  if (const auto status = Announce(options, *served); !status) return PrintError(status.error());
  WaitForSignal();
  served->server->Stop(kStopGrace);
  return kExitOk;
}

}  // namespace berth::cmd
