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
#include "flags/completer.h"

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
  // Offers values to a shell. If empty, the type decides: FILE, DIR.
  Completer complete = {};

  std::string default_text = {};  // The text of the default.
  bool required = false;
  bool is_set = false;

  // For declarations in one expression.
  Flag& As(std::string type_name);
  Flag& Short(char letter);
  Flag& Required();
  // Refuses values other than `choices`, which shells complete.
  Flag& OneOf(std::vector<std::string> choices);
  Flag& Completes(Completer completer);

  // Returns "-v, --v", or "--config".
  std::string Names() const;
  // Returns the help with the default, unless that is a zero value.
  std::string HelpText() const;
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

  // Parses what is typed before a word that a shell completes: forgets the arguments that are not
  // flags, and goes on after errors.
  void ParseTyped(std::span<const std::string> arguments);
  // Returns the flag whose value would have come next; null if there is none.
  const Flag* awaiting() const { return awaiting_; }
  // Reports whether what follows is no flag.
  bool ended() const { return ended_; }

  // Takes all of `arguments` as they are.
  void TakeAll(std::span<const std::string> arguments);

  // Returns the flag "--name" or "-n"; null if there is none.
  const Flag* Find(std::string_view name);

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
  // Returns the groups in the order of the help.
  const std::vector<std::string>& groups() const { return groups_; }

 private:
  // Parses the first of `arguments`, with its value, and removes it.
  Status ParseNext(std::span<const std::string>& arguments);
  Status ParseLong(std::string_view argument, std::span<const std::string>& rest);
  Status ParseShort(std::string_view letters, std::span<const std::string>& rest);
  Status Set(Flag& flag, const std::string& value);
  Flag* FindShorthand(char letter);

  std::map<std::string, Flag, std::less<>> flags_;
  std::vector<std::string> groups_;
  std::vector<std::string> positional_;
  std::string unknown_;
  const Flag* awaiting_ = nullptr;
  bool ended_ = false;
  bool interspersed_ = true;
};

}  // namespace berth::flags
