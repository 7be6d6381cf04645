// Runs the berth program in a test, with files of its own.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "testing/temporary_directory.h"

namespace berth::cli {

struct ProcessResult {
  int code = -1;  // The exit code; -1 if a signal ended the program.
  std::string out;
  std::string err;
};

// Runs berth with `arguments`, and `input` as its standard input.
inline ProcessResult RunBerth(const std::vector<std::string>& arguments,
                              std::string_view input = "") {
  const TemporaryDirectory files;
  std::string line = BERTH_BINARY;
  for (const std::string& argument : arguments) line += " '" + argument + "'";
  line += " <'" + files.Write("in", input) + "' >'" + files.path("out") + "' 2>'" +
          files.path("err") + "'";
  const int status = std::system(line.c_str());
  // The shell turns a signal into an exit code above 128.
  const bool ended = WIFEXITED(status) && WEXITSTATUS(status) < 128;
  return {ended ? WEXITSTATUS(status) : -1, files.Read("out"), files.Read("err")};
}

// A program that runs beside a test until it ends or is stopped.
class RunningProcess {
 public:
  // Starts it with `arguments`, the first of which names the program.
  explicit RunningProcess(std::vector<std::string> arguments) {
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const std::string err = files_.path("err");
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return;
    out_ = ends[0];
    pid_ = fork();
    if (pid_ == 0) {
      dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
      dup2(ends[1], STDOUT_FILENO);
      dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
      execv(words[0], words.data());
      _exit(127);
    }
    close(ends[1]);
  }
  ~RunningProcess() {
    End(SIGKILL);
    if (out_ >= 0) close(out_);
  }
  RunningProcess(const RunningProcess&) = delete;
  RunningProcess& operator=(const RunningProcess&) = delete;

  // What it has written to standard error.
  std::string err() const { return files_.Read("err"); }

  // Waits for a line of standard output with `prefix` and returns the rest of the line. Empty if
  // the program ends, or writes nothing for 30 seconds, before.
  std::string WaitForLine(std::string_view prefix) {
    for (;;) {
      const size_t at = said_.find(prefix);
      const size_t end = at == std::string::npos ? at : said_.find('\n', at);
      if (end != std::string::npos) {
        return said_.substr(at + prefix.size(), end - at - prefix.size());
      }
      if (!Listen()) return "";
    }
  }

  void Send(int signal) const {
    if (pid_ > 0) kill(pid_, signal);
  }
  // Waits for its end; kills it and fails the test after 30 seconds. Returns the exit code; -1 if a
  // signal ended it.
  int Wait() {
    if (pid_ > 0) KillIfItDoesNotEnd();
    if (pid_ > 0 && waitpid(pid_, &status_, 0) == pid_) pid_ = 0;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }
  int End(int signal) {
    Send(signal);
    return Wait();
  }

 private:
  void KillIfItDoesNotEnd() const {
    const int process = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    if (process < 0) return;
    pollfd ended{.fd = process, .events = POLLIN, .revents = 0};
    if (poll(&ended, 1, 30'000) == 0) {
      ADD_FAILURE() << "the program does not end; it wrote to standard error: " << err();
      kill(pid_, SIGKILL);
    }
    close(process);
  }

  // Reads more of standard output; returns false at its end.
  bool Listen() {
    pollfd readable{.fd = out_, .events = POLLIN, .revents = 0};
    char some[4096];
    if (poll(&readable, 1, 30'000) <= 0) return false;
    const ssize_t size = read(out_, some, sizeof some);
    if (size <= 0) return false;
    said_.append(some, static_cast<size_t>(size));
    return true;
  }

  TemporaryDirectory files_;
  std::string said_;
  int out_ = -1;
  pid_t pid_ = 0;
  int status_ = 0;
};

}  // namespace berth::cli
