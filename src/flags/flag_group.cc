#include "flags/flag_group.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/go_duration.h"

namespace berth::flags {
namespace {

// Appends to the list; the first call replaces the default.
template <typename T>
void Extend(std::vector<T>& list, std::vector<T> more, bool& was_set) {
  if (!std::exchange(was_set, true)) list.clear();
  list.insert(list.end(), more.begin(), more.end());
}

// Shows a value as fmt does.
constexpr auto kPlain = [](const auto& value) { return fmt::format("{}", value); };

}  // namespace

Flag& FlagGroup::Other(std::string name, std::string type,
                       std::function<Status(const std::string&)> set,
                       std::function<std::string()> show, std::string help) {
  Flag flag;
  flag.name = std::move(name);
  flag.group = name_;
  flag.type = std::move(type);
  flag.help = std::move(help);
  flag.set = std::move(set);
  flag.show = std::move(show);
  return flags_.Add(std::move(flag));
}

Flag& FlagGroup::Switch(std::string name, bool& value, std::string help) {
  Flag& flag = Parsed(std::move(name), "", value, ParseBool, kPlain, std::move(help));
  flag.implied = "true";
  return flag;
}

Flag& FlagGroup::Text(std::string name, std::string& value, std::string help) {
  const auto parse = [](const std::string& text) -> Result<std::string> { return text; };
  return Parsed(std::move(name), "string", value, parse, kPlain, std::move(help));
}

Flag& FlagGroup::Address(std::string name, std::string& value, std::string help) {
  return Parsed(std::move(name), "ip", value, ParseIp, kPlain, std::move(help));
}

Flag& FlagGroup::Int(std::string name, int64_t& value, std::string help) {
  const auto parse = [](const std::string& text) { return ParseInt(text, 64); };
  return Parsed(std::move(name), "int", value, parse, kPlain, std::move(help));
}

Flag& FlagGroup::Int32(std::string name, int32_t& value, std::string help) {
  const auto parse = [](const std::string& text) { return ParseInt(text, 32); };
  return Parsed(std::move(name), "int32", value, parse, kPlain, std::move(help));
}

Flag& FlagGroup::Float(std::string name, float& value, std::string help) {
  return Parsed(std::move(name), "float32", value, ParseFloat, kPlain, std::move(help));
}

Flag& FlagGroup::Double(std::string name, double& value, std::string help, double min, double max) {
  const auto parse = [min, max](const std::string& text) { return ParseDouble(text, min, max); };
  return Parsed(std::move(name), "X", value, parse, kPlain, std::move(help));
}

Flag& FlagGroup::Time(std::string name, Duration& value, std::string help) {
  return Parsed(std::move(name), "duration", value, ParseGoDuration, FormatGoDuration,
                std::move(help));
}

Flag& FlagGroup::Level(std::string name, int32_t& value, std::string help) {
  return Parsed(std::move(name), "Level", value, ParseLevel, kPlain, std::move(help));
}

Flag& FlagGroup::List(std::string name, std::vector<std::string>& value, std::string help) {
  return Other(
      std::move(name), "strings",
      [&value, was_set = false](const std::string& text) mutable -> Status {
        auto list = ParseList(text);
        if (!list) return std::unexpected(list.error());
        Extend(value, *std::move(list), was_set);
        return {};
      },
      [&value] { return ShowList(value); }, std::move(help));
}

Flag& FlagGroup::Numbers(std::string name, std::vector<int32_t>& value, std::string help) {
  return Other(
      std::move(name), "int32Slice",
      [&value, was_set = false](const std::string& text) mutable -> Status {
        const auto list = ParseList(text);
        if (!list) return std::unexpected(list.error());
        std::vector<int32_t> numbers;
        for (const std::string& item : *list) {
          const auto number = ParseInt(item, 32);
          if (!number) return std::unexpected(number.error());
          numbers.push_back(static_cast<int32_t>(*number));
        }
        Extend(value, std::move(numbers), was_set);
        return {};
      },
      [&value] { return fmt::format("[{}]", fmt::join(value, ",")); }, std::move(help));
}

Flag& FlagGroup::Repeated(std::string name, std::vector<std::string>& value, std::string help) {
  return Other(
      std::move(name), "stringArray",
      [&value](const std::string& text) -> Status {
        value.push_back(text);
        return {};
      },
      [&value] { return ShowList(value); }, std::move(help));
}

}  // namespace berth::flags
