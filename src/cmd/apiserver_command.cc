#include "cmd/apiserver_command.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <string_view>
#include <utility>

#include "base/terminal.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "cmd/object_files.h"
#include "flags/command.h"
#include "flags/flag_group.h"
#include "net/certificates.h"
#include "net/descriptor_limit.h"
#include "net/jwt_key.h"
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
    auto certificate = ReadText(options.tls_cert_file, "--tls-cert-file");
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
  const auto text = ReadText(options.token_auth_file, "--token-auth-file");
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

// Returns the key that signs the tokens of service accounts. A data directory stores it, so that
// tokens survive a restart.
Result<net::JwtKey> TokenKeyFor(const std::string& data_dir) {
  if (data_dir.empty()) return net::JwtKey::Generate();
  const std::string file = std::filesystem::path(data_dir) / "service-account.key";
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) {
    const auto text = ReadText(file);
    if (!text) return std::unexpected(text.error());
    auto key = net::JwtKey::FromPem(*text);
    if (!key) return Fail(fmt::format("{}: {}", file, key.error().message));
    return key;
  }
  auto key = net::JwtKey::Generate();
  if (!key) return key;
  const auto pem = key->ToPem();
  if (!pem) return std::unexpected(pem.error());
  // The store, which reports what is wrong with the directory, is opened later.
  std::filesystem::create_directories(data_dir, ignored);
  if (!ignored) (void)WriteSecret(file, *pem);
  return key;
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
  sigaddset(&signals, SIGQUIT);
  // Closing the terminal stops the program, unless it was started with nohup.
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

Result<RunningApiServer> StartApiServer(const ApiServerFlags& options, const Clock* clock,
                                        std::function<std::string()> more_metrics) {
  auto access = MakeAccess(options);
  if (!access) return std::unexpected(access.error());
  auto tls = MakeTls(options);
  if (!tls) return std::unexpected(tls.error());
  auto token_key = TokenKeyFor(options.data_dir);
  if (!token_key) return std::unexpected(token_key.error());
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
                          .history_bytes = options.history_bytes,
                          .tls = std::move(tls->server),
                          .access = *std::move(access),
                          .token_key = *std::move(token_key),
                          .mount_tokens = options.mount_tokens,
                          .seed = uint64_t{random()} << 32 | random(),
                          .workloads = options.workloads,
                          .clock = clock,
                          .more_metrics = std::move(more_metrics)};
  net::RaiseDescriptorLimit();
  auto running = ApiServer::Start(std::move(server));
  if (!running) return std::unexpected(running.error());
  started.server = *std::move(running);
  return started;
}

Status WriteKubeconfig(const std::string& path, const RunningApiServer& api) {
  const auto text = apiserver::KubeconfigText(api.server->url(), api.ca, api.token);
  if (const Status written = WriteSecret(path, text); !written) {
    return Fail("--kubeconfig " + written.error().message);
  }
  return {};
}

std::string ExportLine(const std::string& path) {
  const std::string whole = std::filesystem::absolute(path).lexically_normal();
  return "export KUBECONFIG=" + ShellQuoted(whole);
}

void BlockSignals() {
  const sigset_t signals = StopSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // A write beyond the limit of a file's size fails like one to a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  runtime::BlockStraySignals();
}

bool WaitForSignal(Duration limit) {
  const sigset_t signals = StopSignals();
  constexpr Duration kSecond = Duration::Seconds(1);
  const timespec time{limit / kSecond, (limit % kSecond).nanos};
  if (sigtimedwait(&signals, nullptr, &time) < 0) return false;
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  return true;
}

void AddApiServerFlags(flags::FlagGroup group, ApiServerFlags& options) {
  constexpr uint64_t kMaxThreads = 256, kMaxHistory = 100'000'000;
  // A few of the largest objects, so that watchers can follow.
  constexpr uint64_t kMinHistoryBytes = 16 << 20, kMaxHistoryBytes = uint64_t{1} << 40;
  group.Text("address", options.address, "Address to listen on").As("ADDRESS");
  group.Uint("port", options.port, "Port to listen on; 0 picks a free one");
  group.Text("data-dir", options.data_dir, "Persist objects in this directory (default: in memory)")
      .As("DIR");
  group.Text("kubeconfig", options.kubeconfig, "Write a kubeconfig file for this server")
      .As("FILE");
  group.Switch("tls", options.tls,
               "Serve HTTPS; generates a self-signed certificate if none is given");
  group
      .Text("tls-cert-file", options.tls_cert_file,
            "x509 certificate for HTTPS (PEM), followed by its intermediates")
      .As("FILE");
  group
      .Text("tls-private-key-file", options.tls_private_key_file,
            "Private key (PEM) matching --tls-cert-file")
      .As("FILE");
  group
      .Text("client-ca-file", options.client_ca_file,
            "Authenticate client certificates signed by this CA bundle (PEM)")
      .As("FILE");
  group
      .Text("token-auth-file", options.token_auth_file,
            "Static token file; each line is token,user,uid,\"group1,group2\"")
      .As("FILE");
  group.Switch("insecure-allow-anonymous", options.allow_anonymous,
               "Allow anonymous requests, with full access");
  group.Uint("threads", options.threads, "Number of threads that serve requests", 1, kMaxThreads);
  group.Uint("history", options.history,
             "Watch history: number of events retained per resource (watches from older "
             "resourceVersions get 410)",
             1, kMaxHistory);
  group.Uint("history-bytes", options.history_bytes,
             "Watch history: memory for all resources together, beyond that of the current "
             "objects; the oldest events of the largest history are dropped",
             kMinHistoryBytes, kMaxHistoryBytes);
}

namespace {

constexpr std::chrono::milliseconds kStopGrace{2000};
// How often the health of the store is checked.
constexpr Duration kHealthTick = Duration::Millis(500);

Status Announce(const ApiServerFlags& options, const RunningApiServer& served) {
  const std::string url = served.server->url();
  Print("listening on {}\n", url);
  if (options.kubeconfig.empty()) {
    Print("try: kubectl --server={} get namespaces\n", url);
    if (!served.ca.empty()) {
      Print("use --kubeconfig FILE to write a kubeconfig for kubectl\n");
    }
  } else {
    if (const auto written = WriteKubeconfig(options.kubeconfig, served); !written) return written;
    Print("{}\n", ExportLine(options.kubeconfig));
  }
  std::fflush(stdout);
  return {};
}

int PrintError(const Error& error) {
  berth::PrintError("berth apiserver: {}\n", error.message);
  return kExitFailed;
}

int RunApiServer(const ApiServerFlags& options) {
  BlockSignals();
  const auto served = StartApiServer(options);
  if (!served) return PrintError(served.error());
  if (const auto status = Announce(options, *served); !status) return PrintError(status.error());
  Status health;
  while (!WaitForSignal(kHealthTick)) {
    health = served->server->store().health();
    if (!health) break;
  }
  // Responses in progress tell clients that the outcome is unknown.
  served->server->Stop(kStopGrace);
  return health ? kExitOk : PrintError(health.error());
}

}  // namespace

void AddApiServer(flags::Command& berth) {
  flags::Command& command =
      berth.Add("apiserver", "Run the embedded Kubernetes API server, without nodes or scheduler");
  command.details =
      "kubectl, kube-scheduler and other clients can use it like any API server. It runs no "
      "kubelets,\n"
      "controllers or scheduler; use berth up for those. Stop it with Ctrl-C.\n"
      "\n"
      "On a loopback address requests are not authenticated or authorized, as with kubectl proxy. "
      "Any\n"
      "other address requires TLS and a bearer token or client certificate.\n";
  command.exit_codes =
      "0 stopped by a signal, 1 failed to start or the data directory cannot be written, 2 invalid "
      "usage";
  command.examples =
      "  berth apiserver --data-dir ./cluster --kubeconfig ./kubeconfig\n"
      "  KUBECONFIG=./kubeconfig kubectl get namespaces\n"
      "  berth apiserver --address 0.0.0.0 --tls --token-auth-file tokens.csv --kubeconfig admin\n";
  const auto options = std::make_shared<ApiServerFlags>();
  AddApiServerFlags(flags::FlagGroup(command.flags), *options);
  command.run = [options] { return RunApiServer(*options); };
}

}  // namespace berth::cmd
