#include "cmd/why_apply.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "base/terminal.h"

namespace berth::cmd {
namespace {

// A word of a shell.
std::string ShellQuoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// The command, with the cluster that was explained.
std::string ForCluster(const std::string& command, const ApplyOptions& options) {
  std::string flags;
  if (!options.kubeconfig.empty()) flags += " --kubeconfig " + ShellQuoted(options.kubeconfig);
  if (!options.context.empty()) flags += " --context " + ShellQuoted(options.context);
  return fmt::format("set -e; kubectl() {{ command kubectl{} \"$@\"; }}; {}", flags, command);
}

bool Confirmed() {
  Print("Apply? [y/N] ");
  std::fflush(stdout);
  std::array<char, 16> answer = {};
  if (std::fgets(answer.data(), answer.size(), stdin) == nullptr) return false;
  return answer[0] == 'y' || answer[0] == 'Y';
}

}  // namespace

Status ApplySteps(const std::vector<explain::Step>& steps, const ApplyOptions& options) {
  for (const explain::Step& step : steps) {
    if (step.command.empty()) {
      return Fail(fmt::format("no command does this: {}{}{}", step.text,
                              step.remark.empty() ? "" : "; ", step.remark));
    }
  }
  for (const explain::Step& step : steps) Print("{}\n  {}\n", step.text, step.command);
  if (!options.yes && !Confirmed()) return Fail("nothing was changed");
  for (const explain::Step& step : steps) {
    std::fflush(stdout);
    const int status = std::system(ForCluster(step.command, options).c_str());
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      return Fail(fmt::format("not done: {}", step.text));
    }
  }
  return {};
}

Status WatchUntilRunning(const std::function<Result<RunningPods>()>& look,
                         const std::function<void(Duration)>& pause) {
  size_t last = SIZE_MAX;
  for (int i = 0; i < kMostLooks; ++i) {
    if (i > 0) pause(kBetweenLooks);
    const auto progress = look();
    if (!progress) return std::unexpected(progress.error());
    if (progress->running != last) {
      Print("{} of {} pod{} run{}\n", progress->running, progress->pods,
            progress->pods == 1 ? "" : "s", progress->pods == 1 ? "s" : "");
      std::fflush(stdout);
    }
    last = progress->running;
    if (progress->pods > 0 && progress->running == progress->pods) return {};
  }
  return Fail("not all pods run after two minutes");
}

}  // namespace berth::cmd
