// Manual pages from the table of commands and flags, in the roff macros of man(7).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flags/command.h"

namespace berth::flags {

struct ManPageSource {
  int section = 1;
  std::string date;                   // "2026-01-31"; empty if it is not known.
  std::string source;                 // "Berth 0.1.0"
  std::string manual;                 // "Berth Manual"
  std::vector<std::string> see_also;  // "berth-scheduler(8)", besides parent and subcommands.
};

// Returns the page of `command`. Subcommands have pages of their own.
std::string ManPage(const Command& command, const ManPageSource& source);

// Returns a page about another name of a command: "A is B".
std::string ManPageAlias(std::string_view name, std::string_view summary, std::string_view text,
                         const ManPageSource& source);

// Returns "berth-config-show": the path of the command, joined.
std::string ManPageName(const Command& command);

}  // namespace berth::flags
