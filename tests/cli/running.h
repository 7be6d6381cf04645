// A program that runs beside a test until it is told, or made, to end.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "command.h"

namespace berth::cli {

class Running {
 public:
  // Starts it with `arguments`, the first of which names the program.
  explicit Running(std::vector<std::string> arguments) {
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const std::string out = files_.Path("out"), err = files_.Path("err");
    pid_ = fork();
    if (pid_ != 0) return;
    const int flags = O_WRONLY | O_CREAT | O_APPEND;
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(open(out.c_str(), flags, 0600), STDOUT_FILENO);
    dup2(open(err.c_str(), flags, 0600), STDERR_FILENO);
    execv(words[0], words.data());
    _exit(127);
  }
  ~Running() { End(SIGKILL); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  std::string out() const { return files_.Read("out"); }
  std::string err() const { return files_.Read("err"); }

  // What follows `prefix` on its line of standard output (or error), once that has come. Empty if
  // the program ends, or half a minute passes, before.
  std::string WaitForLine(std::string_view prefix, bool of_errors = false) {
    for (int i = 0; i < 3000; ++i) {
      const bool ended = HasEnded();
      const std::string text = of_errors ? err() : out();
      const size_t at = text.find(prefix);
      const size_t end = at == std::string::npos ? at : text.find('\n', at);
      if (end != std::string::npos) {
        return text.substr(at + prefix.size(), end - at - prefix.size());
      }
      if (ended) return "";
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "";
  }

  void Send(int signal) const {
    if (pid_ > 0) kill(pid_, signal);
  }
  // Waits for its end. The exit code; -1 if a signal ended it.
  int Wait() {
    if (pid_ > 0 && waitpid(pid_, &status_, 0) == pid_) pid_ = 0;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1;
  }
  int End(int signal) {
    Send(signal);
    return Wait();
  }

 private:
  bool HasEnded() {
    if (pid_ > 0 && waitpid(pid_, &status_, WNOHANG) == pid_) pid_ = 0;
    return pid_ == 0;
  }

  TempDir files_;
  pid_t pid_ = 0;
  int status_ = 0;
};

}  // namespace berth::cli
