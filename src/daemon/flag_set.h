// FlagSet is a table of command-line flags, parsed as kube-scheduler parses them: --name value,
// --name=value, --switch, --switch=false, -v 2, -v=2, -v2; '_' in names counts as '-'.
//
// The table also gives the help text and the values to show. The variables that flags set must
// outlive it.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::daemon {

struct Flag {
  std::string name;    // "bind-address"
  char shorthand = 0;  // 'v'
  std::string group;   // "secure serving"
  std::string type;    // As shown in the help; empty for switches.
  std::string help;    // One sentence.
  // The value of the flag if it is given without one; empty if it needs a value.
  std::string implied = {};
  // The warning about a deprecated flag; empty for others.
  std::string deprecated = {};
  // Sets the value. May be called several times; the error says what is wrong with the value.
  std::function<Status(const std::string& value)> set = {};
  std::function<std::string()> show = {};

  std::string default_text = {};  // The text of the default.
  bool is_set = false;
};

class FlagSet {
 public:
  // Adds a flag with a unique name. Groups are in the order of their first flag.
  Flag& Add(Flag flag);

  // Parses `arguments`, without the program's name. Stops at the first error, whose message is that
  // of kube-scheduler's flag library.
  Status Parse(std::span<const std::string> arguments);

  // Returns the groups with their flags, sorted by name, one line each.
  std::string Help() const;

  bool is_set(std::string_view name) const;
  // Returns all flags with their values.
  std::map<std::string, std::string> Values() const;
  // Returns warnings about deprecated flags that were set, sorted by name.
  std::vector<std::string> DeprecationWarnings() const;
  // Returns the arguments that are not flags.
  const std::vector<std::string>& positional() const { return positional_; }

 private:
  Status ParseLong(std::string_view argument, std::span<const std::string>& rest);
  Status ParseShort(std::string_view letters, std::span<const std::string>& rest);
  Status Set(Flag& flag, const std::string& value);
  Flag* FindShorthand(char letter);

  std::map<std::string, Flag, std::less<>> flags_;
  std::vector<std::string> groups_;
  std::vector<std::string> positional_;
};

}  // namespace berth::daemon
