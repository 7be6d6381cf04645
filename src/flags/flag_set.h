// FlagSet is a table of command-line flags, parsed as kubectl and kube-scheduler parse them: --name
// value, --name=value, --switch, --switch=false, -v 2, -v=2, -v2; '_' in names counts as '-'.
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

namespace berth::flags {

struct Flag {
  std::string name;    // "bind-address"
  char shorthand = 0;  // 'v'
  std::string group;   // "secure serving"; empty in the only or main group.
  std::string type;    // As shown in the help: "string", "FILE"; empty for switches.
  std::string help;    // One sentence.
  // The value of the flag if it is given without one; empty if it needs a value.
  std::string implied = {};
  // The warning about a deprecated flag; empty for others.
  std::string deprecated = {};
  // Sets the value. May be called several times; the error says what is wrong with the value.
  std::function<Status(const std::string& value)> set = {};
  std::function<std::string()> show = {};

  std::string default_text = {};  // The text of the default.
  bool required = false;
  bool is_set = false;

  // For declarations in one expression.
  Flag& As(std::string type_name);
  Flag& Short(char letter);
  Flag& Required();
  // Refuses values other than `choices`.
  Flag& OneOf(std::vector<std::string> choices);

  // Returns "-v, --v", or "--config".
  std::string Names() const;
};

class FlagSet {
 public:
  // Adds a flag with a unique name. Groups are in the order of their first flag.
  Flag& Add(Flag flag);

  // From now on, Parse takes the first argument that is not a flag, and all after it, as
  // positional.
  void StopAtFirstArgument() { interspersed_ = false; }

  // Parses `arguments`, without the program's name. Stops at the first error, whose message is that
  // of kube-scheduler's flag library.
  Status Parse(std::span<const std::string> arguments);

  // Fails if a required flag was not set.
  Status CheckRequired() const;

  // Returns the groups with their flags, sorted by name. Lines of more than `columns` are wrapped,
  // except with 0.
  std::string Help(size_t columns = 0) const;

  bool is_set(std::string_view name) const;
  // Returns all flags with their values.
  std::map<std::string, std::string> Values() const;
  // Returns warnings about deprecated flags that were set, sorted by name.
  std::vector<std::string> DeprecationWarnings() const;
  // Returns the arguments that are not flags.
  const std::vector<std::string>& positional() const { return positional_; }
  // Returns "; did you mean --first?" about the flag that Parse did not know; empty if it knew all,
  // or none is similar.
  std::string SuggestionText() const;
  const std::map<std::string, Flag, std::less<>>& flags() const { return flags_; }

 private:
  Status ParseLong(std::string_view argument, std::span<const std::string>& rest);
  Status ParseShort(std::string_view letters, std::span<const std::string>& rest);
  Status Set(Flag& flag, const std::string& value);
  Flag* FindShorthand(char letter);

  std::map<std::string, Flag, std::less<>> flags_;
  std::vector<std::string> groups_;
  std::vector<std::string> positional_;
  std::string unknown_;
  bool interspersed_ = true;
};

}  // namespace berth::flags
