// The hidden command `berth man`, with which packages make the manual.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>

#include "base/terminal.h"
#include "build_info/build_info.h"
#include "cmd/command_line.h"
#include "cmd/commands.h"
#include "daemon/command_table.h"
#include "flags/command.h"
#include "flags/man_page.h"

namespace berth::cmd {
namespace {

constexpr const char* kPluginText =
    "Installed as kubectl-berth, in a folder of $PATH, berth(1) is a plugin of kubectl:\n"
    "'kubectl berth why POD' is 'berth why POD'. It takes its own flags and reads the same\n"
    "kubeconfig as kubectl; flags of kubectl before 'berth' are not passed on.\n"
    "\n"
    "Installed as kubectl_complete-berth, too, it completes the words after 'kubectl berth' in a\n"
    "shell in which kubectl's own completion is loaded.\n";

flags::ManPageSource Source(int section) {
  const build_info::BuildInfo& build = build_info::ThisBuild();
  return {.section = section,
          .date = std::string(build_info::Day(build)),
          .source = fmt::format("Berth {}", build.version),
          .manual = "Berth Manual",
          .see_also = {}};
}

class ManWriter {
 public:
  explicit ManWriter(std::string directory) : directory_(std::move(directory)) {}

  Status Write(const std::string& name, int section, const std::string& text) const {
    const std::string path = fmt::format("{}/{}.{}", directory_, name, section);
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text;
    file.close();
    if (file.fail()) return Fail(fmt::format("{}: {}", path, std::strerror(errno)));
    return {};
  }

  // Writes the pages of a command and its subcommands.
  Status WriteAll(const flags::Command& command, flags::ManPageSource source) const {
    const Status written =
        Write(flags::ManPageName(command), source.section, flags::ManPage(command, source));
    if (!written) return written;
    source.see_also.clear();
    for (const flags::Command& subcommand : command.commands) {
      if (subcommand.hidden) continue;
      if (const Status status = WriteAll(subcommand, source); !status) return status;
    }
    return {};
  }

 private:
  std::string directory_;
};

Status WriteManual(const flags::Command& berth, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return Fail(fmt::format("{}: {}", directory, error.message()));
  const ManWriter writer(directory);
  flags::ManPageSource programs = Source(1);
  programs.see_also = {"kubectl-berth(1)", "berth-scheduler(8)"};
  if (const Status status = writer.WriteAll(berth, programs); !status) return status;
  flags::ManPageSource plugin = Source(1);
  plugin.see_also = {"berth(1)", "berth-why(1)", "kubectl(1)"};
  const Status status = writer.Write(
      "kubectl-berth", 1,
      flags::ManPageAlias("kubectl-berth", "berth as a plugin of kubectl", kPluginText, plugin));
  if (!status) return status;
  flags::ManPageSource scheduler = Source(8);
  scheduler.see_also = {"berth(1)", "berth-check(1)", "berth-config(1)"};
  return writer.WriteAll(*daemon::SchedulerCommandTable(), scheduler);
}

}  // namespace

void AddMan(flags::Command& berth) {
  flags::Command& command = berth.Add("man", "Write the manual pages of all commands");
  command.hidden = true;
  command.details = "For packages: writes berth.1, berth-why.1 and so on, and berth-scheduler.8.\n";
  command.exit_codes = "0 done, 1 a page cannot be written, 2 invalid usage";
  const auto directory = std::make_shared<std::string>();
  command.Takes("DIRECTORY", *directory, "Directory of the pages; created if it does not exist");
  command.run = [directory, &berth]() -> int {
    const Status written = WriteManual(berth, *directory);
    if (written) return kExitOk;
    PrintError("berth man: {}\n", written.error().message);
    return kExitFailed;
  };
}

}  // namespace berth::cmd
