#include "client/exec_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <utility>

#include "base/chrono.h"
#include "base/go_duration.h"

namespace berth::client {
namespace {

constexpr size_t kMaxErrorOutputBytes = 4096;

std::string Words(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }
  void Reset(int fd) {
    Close();
    fd_ = fd;
  }
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;

  bool Open() {
    std::array<int, 2> ends;
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read.Reset(ends[0]);
    write.Reset(ends[1]);
    return ::fcntl(read.get(), F_SETFL, O_NONBLOCK) == 0;
  }
};

// The arguments of posix_spawn and what they need to stay alive.
class Launch {
 public:
  Launch(const ExecRequest& request, int output, int error_output) : request_(request) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, 0, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, output, 1);
    ::posix_spawn_file_actions_adddup2(&actions_, error_output, 2);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, 3);
    ::posix_spawnattr_init(&attributes_);
    // A process group can be killed as a whole. Signals are reset as by a shell.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
  }
  ~Launch() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  Launch(const Launch&) = delete;
  Launch& operator=(const Launch&) = delete;

  // Returns 0 or an errno.
  int Run(pid_t& pid) {
    std::vector<char*> argv = {const_cast<char*>(request_.command.c_str())};
    for (const std::string& arg : request_.args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> env;
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
      if (!Overridden(*variable)) env.push_back(*variable);
    }
    for (size_t i = 0; i < request_.env.size(); ++i) {
      if (!Overridden(request_.env[i], i + 1)) {
        env.push_back(const_cast<char*>(request_.env[i].c_str()));
      }
    }
    env.push_back(nullptr);
    return ::posix_spawnp(&pid, request_.command.c_str(), &actions_, &attributes_, argv.data(),
                          env.data());
  }

 private:
  // Reports whether a variable of the request, from index `from` on, has the name of `variable`.
  bool Overridden(std::string_view variable, size_t from = 0) const {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    for (size_t i = from; i < request_.env.size(); ++i) {
      if (!name.empty() && request_.env[i].starts_with(name)) return true;
    }
    return false;
  }

  const ExecRequest& request_;
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Reads all available bytes and appends them to `to`, up to `limit` in all; the rest is dropped.
// Returns false if something was dropped. Closes `from` at its end.
bool Drain(Descriptor& from, std::string& to, size_t limit) {
  std::array<char, 1 << 14> piece;
  bool complete = true;
  while (from.open()) {
    const ssize_t size = ::read(from.get(), piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (size <= 0) {
      from.Close();
      break;
    }
    const size_t room = limit - std::min(limit, to.size());
    to.append(piece.data(), std::min(room, static_cast<size_t>(size)));
    if (static_cast<size_t>(size) > room) {
      complete = false;
      break;
    }
  }
  return complete;
}

// Child is a running process. The destructor kills it unless it has ended.
class Child {
 public:
  explicit Child(pid_t pid)
      : pid_(pid), end_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {}
  ~Child() {
    if (reaped_) return;
    ::kill(-pid_, SIGKILL);
    Reap();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns a descriptor that is readable when the process has ended.
  int end() const { return end_.get(); }

  int Reap() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    reaped_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  const pid_t pid_;
  Descriptor end_;
  bool reaped_ = false;
};

std::unexpected<ExecFailure> Failed(std::string message, bool not_found = false) {
  return std::unexpected(ExecFailure{not_found, std::move(message)});
}

// Collects the output until the child ends.
std::expected<ExecOutcome, ExecFailure> Collect(Child& child, Pipe& output, Pipe& error_output,
                                                const ExecRequest& request, int cancel_fd) {
  using std::chrono::steady_clock;
  if (child.end() < 0) return Failed("pidfd_open: " + Words(errno));
  const auto deadline = steady_clock::now() + ToChrono(request.timeout);
  ExecOutcome outcome;
  for (bool ended = false; !ended;) {
    std::array<pollfd, 4> waiting = {pollfd{child.end(), POLLIN, 0}, pollfd{cancel_fd, POLLIN, 0},
                                     pollfd{output.read.get(), POLLIN, 0},
                                     pollfd{error_output.read.get(), POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) {
      return Failed(fmt::format("it did not end within {}", FormatGoDuration(request.timeout)));
    }
    const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(left.count()));
    if (ready < 0 && errno != EINTR) return Failed("poll: " + Words(errno));
    if (ready <= 0) continue;
    if (waiting[1].revents != 0) return Failed("it was cancelled");
    ended = waiting[0].revents != 0;
    if (!Drain(output.read, outcome.output, request.max_output_bytes)) {
      return Failed(fmt::format("it printed more than {} bytes", request.max_output_bytes));
    }
    // Bytes beyond the limit are read and dropped, so that the pipe does not fill.
    for (int i = 0; i < 16 && !Drain(error_output.read, outcome.error_output, kMaxErrorOutputBytes);
         ++i) {
    }
  }
  outcome.exit_code = child.Reap();
  return outcome;
}

}  // namespace

std::expected<ExecOutcome, ExecFailure> RunCommand(const ExecRequest& request, int cancel_fd) {
  Pipe output, error_output;
  if (!output.Open() || !error_output.Open()) return Failed("pipe: " + Words(errno));
  pid_t pid = 0;
  if (const int error = Launch(request, output.write.get(), error_output.write.get()).Run(pid)) {
    return Failed(Words(error), error == ENOENT);
  }
  Child child(pid);
  output.write.Close();
  error_output.write.Close();
  return Collect(child, output, error_output, request, cancel_fd);
}

}  // namespace berth::client
