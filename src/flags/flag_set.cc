#include "flags/flag_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/suggestion.h"
#include "base/text.h"

namespace berth::flags {
namespace {

std::string Normalized(std::string_view name) {
  std::string normal(name);
  std::ranges::replace(normal, '_', '-');
  return normal;
}

// Returns "  -v, --v Level" or "      --version version[=true]".
std::string Synopsis(const Flag& flag) {
  std::string text = (flag.shorthand != 0 ? "  " : "      ") + flag.Names();
  if (!flag.type.empty()) {
    text += " " + flag.type;
    if (!flag.implied.empty()) text += "[=" + flag.implied + "]";
  }
  return text;
}

// Appends `text` to a line of `indent` columns, and breaks it between words where it would exceed
// `columns`.
void AppendWrapped(std::string& out, std::string_view text, size_t indent, size_t columns) {
  constexpr size_t kNarrowest = 24;
  const size_t width = columns < indent + kNarrowest ? text.npos : columns - indent;
  while (text.size() > width) {
    size_t space = text.rfind(' ', width);
    if (space == text.npos) space = text.find(' ', width);
    if (space == text.npos) break;
    out += fmt::format("{}\n{:{}}", text.substr(0, space), "", indent);
    text.remove_prefix(space + 1);
  }
  out += fmt::format("{}\n", text);
}

}  // namespace

Flag& Flag::As(std::string type_name) {
  type = std::move(type_name);
  return *this;
}

Flag& Flag::Short(char letter) {
  shorthand = letter;
  return *this;
}

Flag& Flag::Required() {
  required = true;
  return *this;
}

Flag& Flag::OneOf(std::vector<std::string> choices) {
  complete = Words(choices);
  set = [choices = std::move(choices), next = std::move(set)](const std::string& value) -> Status {
    if (std::ranges::find(choices, value) != choices.end()) return next(value);
    return Fail(fmt::format("must be one of {}", fmt::join(choices, ", ")));
  };
  return *this;
}

Flag& Flag::Completes(Completer completer) {
  complete = std::move(completer);
  return *this;
}

std::string Flag::Names() const {
  return shorthand != 0 ? fmt::format("-{}, --{}", shorthand, name) : "--" + name;
}

std::string Flag::HelpText() const {
  const std::string& value = default_text;
  if (value.empty() || value == "false" || value == "0" || value == "0s" || value == "[]") {
    return help;
  }
  return fmt::format("{} (default {})", help,
                     type == "string" ? GoQuote(std::string_view(value)) : value);
}

Flag& FlagSet::Add(Flag flag) {
  if (std::ranges::find(groups_, flag.group) == groups_.end()) groups_.push_back(flag.group);
  flag.default_text = flag.show();
  const auto [at, added] = flags_.emplace(flag.name, std::move(flag));
  CHECK(added);
  return at->second;
}

Status FlagSet::Parse(std::span<const std::string> arguments) {
  while (!arguments.empty()) {
    if (const Status status = ParseNext(arguments); !status) return status;
  }
  return {};
}

void FlagSet::ParseTyped(std::span<const std::string> arguments) {
  positional_.clear();
  awaiting_ = nullptr;
  ended_ = false;
  while (!arguments.empty()) (void)ParseNext(arguments);
}

void FlagSet::TakeAll(std::span<const std::string> arguments) {
  positional_.insert(positional_.end(), arguments.begin(), arguments.end());
  ended_ = true;
}

Status FlagSet::ParseNext(std::span<const std::string>& arguments) {
  const std::string_view argument = arguments.front();
  arguments = arguments.subspan(1);
  const bool is_flag = argument.size() > 1 && argument[0] == '-' && argument != "--";
  if (is_flag) {
    return argument[1] == '-' ? ParseLong(argument, arguments)
                              : ParseShort(argument.substr(1), arguments);
  }
  if (argument != "--") positional_.emplace_back(argument);
  if (argument == "--" || !interspersed_) TakeAll(std::exchange(arguments, {}));
  return {};
}

Status FlagSet::ParseLong(std::string_view argument, std::span<const std::string>& rest) {
  const size_t equals = argument.find('=');
  const std::string_view name = argument.substr(2, equals == argument.npos ? equals : equals - 2);
  if (name.empty() || name[0] == '-') return Fail(fmt::format("bad flag syntax: {}", argument));
  const auto found = flags_.find(Normalized(name));
  if (found == flags_.end()) {
    unknown_ = name;
    return Fail(fmt::format("unknown flag: --{}", name));
  }
  Flag& flag = found->second;
  if (equals != argument.npos) return Set(flag, std::string(argument.substr(equals + 1)));
  if (!flag.implied.empty()) return Set(flag, flag.implied);
  if (rest.empty()) {
    awaiting_ = &flag;
    return Fail(fmt::format("flag needs an argument: --{}", name));
  }
  const std::string& value = rest.front();
  rest = rest.subspan(1);
  return Set(flag, value);
}

Status FlagSet::ParseShort(std::string_view letters, std::span<const std::string>& rest) {
  const std::string_view all = letters;
  while (!letters.empty()) {
    const char letter = letters[0];
    letters.remove_prefix(1);
    Flag* const flag = FindShorthand(letter);
    if (flag == nullptr) {
      unknown_ = all;
      return Fail(fmt::format("unknown shorthand flag: '{}' in -{}", letter, all));
    }
    if (letters.size() > 1 && letters[0] == '=') {
      return Set(*flag, std::string(letters.substr(1)));
    }
    if (!flag->implied.empty()) {
      if (Status status = Set(*flag, flag->implied); !status) return status;
      continue;
    }
    if (!letters.empty()) return Set(*flag, std::string(letters));
    if (rest.empty()) {
      awaiting_ = flag;
      return Fail(fmt::format("flag needs an argument: '{}' in -{}", letter, all));
    }
    const std::string& value = rest.front();
    rest = rest.subspan(1);
    return Set(*flag, value);
  }
  return {};
}

Status FlagSet::Set(Flag& flag, const std::string& value) {
  if (const Status status = flag.set(value); !status) {
    return Fail(fmt::format("invalid argument {} for \"{}\" flag: {}",
                            GoQuote(std::string_view(value)), flag.Names(),
                            status.error().message));
  }
  flag.is_set = true;
  return {};
}

Flag* FlagSet::FindShorthand(char letter) {
  for (auto& [name, flag] : flags_) {
    if (letter != 0 && flag.shorthand == letter) return &flag;
  }
  return nullptr;
}

const Flag* FlagSet::Find(std::string_view name) {
  if (name.size() == 2 && name[0] == '-' && name[1] != '-') return FindShorthand(name[1]);
  const auto found =
      name.starts_with("--") ? flags_.find(Normalized(name.substr(2))) : flags_.end();
  return found == flags_.end() ? nullptr : &found->second;
}

Status FlagSet::CheckRequired() const {
  std::vector<std::string> missing;
  for (const auto& [name, flag] : flags_) {
    if (flag.required && !flag.is_set) missing.push_back(GoQuote(std::string_view(name)));
  }
  if (missing.empty()) return {};
  return Fail(fmt::format("required flag(s) {} not set", fmt::join(missing, ", ")));
}

std::string FlagSet::Help(size_t columns) const {
  std::string text;
  for (const std::string& group : groups_) {
    size_t width = 0;
    for (const auto& [name, flag] : flags_) {
      if (flag.group == group) width = std::max(width, Synopsis(flag).size());
    }
    text += group.empty() ? "\nFlags:\n"
                          : fmt::format("\n{}{} flags:\n\n", static_cast<char>(group[0] & ~0x20),
                                        group.substr(1));
    for (const auto& [name, flag] : flags_) {
      if (flag.group != group) continue;
      text += fmt::format("{:<{}}   ", Synopsis(flag), width);
      AppendWrapped(text, flag.HelpText(), width + 3, columns);
    }
  }
  return text;
}

bool FlagSet::is_set(std::string_view name) const {
  const auto found = flags_.find(name);
  CHECK(found != flags_.end());
  return found->second.is_set;
}

std::map<std::string, std::string> FlagSet::Values() const {
  std::map<std::string, std::string> values;
  for (const auto& [name, flag] : flags_) values.emplace(name, flag.show());
  return values;
}

std::vector<std::string> FlagSet::DeprecationWarnings() const {
  std::vector<std::string> warnings;
  for (const auto& [name, flag] : flags_) {
    if (!flag.is_set || flag.deprecated.empty()) continue;
    warnings.push_back(fmt::format("Flag --{} has been deprecated, {}", name, flag.deprecated));
  }
  return warnings;
}

std::string FlagSet::SuggestionText() const {
  Suggestion suggestion(unknown_);
  for (const auto& [name, flag] : flags_) suggestion.Consider(name);
  return suggestion.Text("--");
}

}  // namespace berth::flags
