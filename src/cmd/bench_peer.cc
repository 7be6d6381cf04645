#include "cmd/bench_peer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "cmd/object_files.h"

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

std::string WithKubeconfig(std::string command, const std::string& path) {
  for (size_t at = 0; (at = command.find(kPlaceholder, at)) != std::string::npos;) {
    command.replace(at, kPlaceholder.size(), path);
    at += path.size();
  }
  return command;
}

}  // namespace

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
