// FlagSet is a table of command-line flags, read as kube-scheduler reads them: --name value,
// --name=value, --switch, --switch=false, -v 2, -v=2, -v2; '_' in names counts as '-'.
//
// The same table gives the help and the values to show. What a flag sets must outlive the set.
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
  std::string type;    // As help names it; empty for switches.
  std::string help;    // One sentence.
  // For those that may stand without a value: the value that they then have.
  std::string implied = {};
  // For deprecated ones: what the warning says.
  std::string deprecated = {};
  // May be called several times; the error says what is wrong with the value.
  std::function<Status(const std::string& value)> set = {};
  std::function<std::string()> show = {};

  std::string default_text = {};  // What it shows before anything is set.
  bool is_set = false;
};

class FlagSet {
 public:
  // Names differ; groups are in the order of their first flag.
  Flag& Add(Flag flag);

  // Reads `arguments`, without the program's name. The first mistake ends it; its message is that
  // of kube-scheduler's library.
  Status Parse(std::span<const std::string> arguments);

  // The groups with their flags, by name, one line each.
  std::string Help() const;

  bool is_set(std::string_view name) const;
  // All flags with their values.
  std::map<std::string, std::string> Values() const;
  // Warnings about deprecated flags that were set, in the order of their names.
  std::vector<std::string> DeprecationWarnings() const;
  // What was no flag.
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
