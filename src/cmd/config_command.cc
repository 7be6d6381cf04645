#include "cmd/config_command.h"

#include <fmt/format.h>

#include <cstdio>

#include "cmd/command_line.h"
#include "cmd/configuration_check.h"
#include "cmd/object_files.h"
#include "config/notes.h"
#include "config/print.h"
#include "plugins/registry.h"

namespace berth {
namespace {

constexpr const char* kStandardInput = "-";

std::string NameOf(const std::string& file) {
  return file == kStandardInput ? "standard input" : file;
}

// Prints every problem, one per line, and says how the program ends.
int Tell(const CheckedConfiguration& checked, const std::string& file) {
  for (const std::string& error : checked.errors) {
    fmt::print(stderr, "{}: {}\n", NameOf(file), error);
  }
  return checked.ok() ? kExitOk : kExitFailed;
}

}  // namespace

int RunConfigValidate(const std::string& file) {
  const auto text = ReadText(file);
  if (!text) {
    fmt::print(stderr, "berth config validate: {}\n", text.error().message);
    return kExitUsage;
  }
  const CheckedConfiguration checked = CheckConfiguration(*text, InTreeRegistry());
  if (!checked.ok()) return Tell(checked, file);
  for (const std::string& note : config::Notes(*checked.completed)) {
    fmt::print(stderr, "{}: note: {}\n", NameOf(file), note);
  }
  fmt::print("{}: valid\n", NameOf(file));
  return kExitOk;
}

int RunConfigShow(const std::string& file) {
  if (file.empty()) {
    fmt::print("{}", config::ToYaml(config::Default()));
    return kExitOk;
  }
  const auto text = ReadText(file);
  if (!text) {
    fmt::print(stderr, "berth config show: {}\n", text.error().message);
    return kExitUsage;
  }
  const CheckedConfiguration checked = CheckConfiguration(*text, InTreeRegistry());
  if (checked.ok()) fmt::print("{}", config::ToYaml(*checked.completed));
  return Tell(checked, file);
}

}  // namespace berth
