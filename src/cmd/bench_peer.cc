#include "cmd/bench_peer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/yaml.h"
#include "cmd/object_files.h"
#include "flags/completion.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kPlaceholder = "{kubeconfig}";
// How long the peer has to stop by itself.
constexpr std::chrono::milliseconds kStopLimit{5000};
constexpr std::chrono::milliseconds kStopLook{20};
// How much of what the peer said is shown when it fails.
constexpr size_t kShownLog = 2'000;

class PeerProcess final : public benchmark::PeerScheduler {
 public:
  PeerProcess(std::string folder, pid_t process) : folder_(std::move(folder)), process_(process) {}
  ~PeerProcess() override {
    Stop();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  PeerProcess(const PeerProcess&) = delete;
  PeerProcess& operator=(const PeerProcess&) = delete;

  Status health() override {
    if (!HasEnded()) return {};
    std::string log = ReadText(folder_ + "/log").value_or("");
    if (log.size() > kShownLog) log = "..." + log.substr(log.size() - kShownLog);
    return Fail(fmt::format("the peer has ended; it said:\n{}", log));
  }

 private:
  bool HasEnded() {
    if (!ended_) ended_ = waitpid(process_, nullptr, WNOHANG) != 0;
    return ended_;
  }
  void Stop() {
    // The shell and what it started are one process group.
    kill(-process_, SIGTERM);
    const auto end = std::chrono::steady_clock::now() + kStopLimit;
    while (!HasEnded() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(kStopLook);
    }
    kill(-process_, SIGKILL);
    if (!ended_) waitpid(process_, nullptr, 0);
  }

  const std::string folder_;
  const pid_t process_;
  bool ended_ = false;
};

constexpr double kDefaultRate = 50;

// Returns the value of --name VALUE or --name=VALUE; nullopt if it is not among the words.
std::optional<std::string> FlagValue(const std::vector<std::string>& words,
                                     const std::string& name) {
  std::optional<std::string> value;  // The last one counts.
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--" + name && i + 1 < words.size()) value = words[i + 1];
    if (words[i].starts_with("--" + name + "=")) value = words[i].substr(name.size() + 3);
  }
  return value;
}

// Returns clientConnection.qps of the configuration file; 0 if it does not set it.
double RateIn(const std::string& file) {
  const auto text = ReadText(file);
  const auto json = text ? api::FirstDocumentToJson(*text) : Fail("unreadable");
  const auto parsed = json ? api::ParseJson(*json) : Fail("unreadable");
  if (!parsed) return 0;
  const api::Json* qps = api::At(api::ObjectAt(api::AsObject(*parsed), "clientConnection"), "qps");
  return qps != nullptr && qps->is_number() ? qps->to_number<double>() : 0;
}

std::string WithKubeconfig(std::string command, const std::string& path) {
  for (size_t at = 0; (at = command.find(kPlaceholder, at)) != std::string::npos;) {
    command.replace(at, kPlaceholder.size(), path);
    at += path.size();
  }
  return command;
}

}  // namespace

std::string PeerRateWarning(const std::string& command) {
  // The first word, the program, would be dropped.
  const std::vector<std::string> words = flags::SplitCommandLine("sh " + command);
  const bool is_scheduler = std::ranges::any_of(words, [](const std::string& word) {
    const std::string program = word.substr(word.rfind('/') + 1);
    return program == "kube-scheduler" || program == "berth-scheduler";
  });
  if (!is_scheduler) return "";
  double rate = 0;
  // The file takes precedence, as in the scheduler.
  const auto file = FlagValue(words, "config");
  if (file) {
    rate = RateIn(*file);
  } else if (const auto given = FlagValue(words, "kube-api-qps")) {
    rate = std::strtod(given->c_str(), nullptr);
  }
  // Negative: no limit.
  if (rate < 0 || rate > kDefaultRate) return "";
  return fmt::format(
      "the peer sends at most {} requests per second, so that the ratio is that of the limit: {}",
      rate == 0 ? kDefaultRate : rate,
      file ? fmt::format("set clientConnection.qps and burst in {}", *file)
           : "add --kube-api-qps=5000 --kube-api-burst=5000 to --peer");
}

Result<std::unique_ptr<benchmark::PeerScheduler>> StartPeerProcess(const std::string& command,
                                                                   const std::string& kubeconfig) {
  std::error_code error;
  const auto temporary = std::filesystem::temp_directory_path(error);
  std::string folder = (error ? std::filesystem::path("/tmp") : temporary) / "berth-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    return Fail(fmt::format("{}: {}", folder, std::strerror(errno)));
  }
  const std::string path = folder + "/kubeconfig";
  std::ofstream(path) << kubeconfig;
  std::string line = WithKubeconfig(command, path);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  const std::string log = folder + "/log";
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  std::string shell = "sh", option = "-c";
  char* const words[] = {shell.data(), option.data(), line.data(), nullptr};
  pid_t process = 0;
  const int failed = posix_spawn(&process, "/bin/sh", &files, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    std::filesystem::remove_all(folder, error);
    return Fail(fmt::format("--peer: {}", std::strerror(failed)));
  }
  return std::make_unique<PeerProcess>(std::move(folder), process);
}

}  // namespace berth::cmd
