#include "daemon/flag_group.h"

#include <fmt/format.h>

#include <memory>

#include "base/go_duration.h"
#include "daemon/flag_values.h"

namespace berth::daemon {
namespace {

// Sets `value` to what `parse` makes of the text.
template <typename T, typename Parse>
std::function<Status(const std::string&)> Setter(T& value, Parse parse) {
  return [&value, parse](const std::string& text) -> Status {
    auto parsed = parse(text);
    if (!parsed) return std::unexpected(parsed.error());
    value = static_cast<T>(*std::move(parsed));
    return {};
  };
}

// The first call replaces what was there.
template <typename T>
void Extend(std::vector<T>& list, std::vector<T> more, bool& was_set) {
  if (!std::exchange(was_set, true)) list.clear();
  list.insert(list.end(), more.begin(), more.end());
}

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
  Flag& flag = Other(
      std::move(name), "", Setter(value, ParseBool), [&value] { return value ? "true" : "false"; },
      std::move(help));
  flag.implied = "true";
  return flag;
}

Flag& FlagGroup::Text(std::string name, std::string& value, std::string help) {
  return Other(
      std::move(name), "string",
      [&value](const std::string& text) -> Status {
        value = text;
        return {};
      },
      [&value] { return value; }, std::move(help));
}

Flag& FlagGroup::Address(std::string name, std::string& value, std::string help) {
  return Other(
      std::move(name), "ip", Setter(value, ParseIp), [&value] { return value; }, std::move(help));
}

Flag& FlagGroup::Int(std::string name, int64_t& value, std::string help) {
  return Other(
      std::move(name), "int",
      Setter(value, [](const std::string& text) { return ParseInt(text, 64); }),
      [&value] { return std::to_string(value); }, std::move(help));
}

Flag& FlagGroup::Int32(std::string name, int32_t& value, std::string help) {
  return Other(
      std::move(name), "int32",
      Setter(value, [](const std::string& text) { return ParseInt(text, 32); }),
      [&value] { return std::to_string(value); }, std::move(help));
}

Flag& FlagGroup::Float(std::string name, float& value, std::string help) {
  return Other(
      std::move(name), "float32", Setter(value, ParseFloat), [&value] { return ShowFloat(value); },
      std::move(help));
}

Flag& FlagGroup::Time(std::string name, Duration& value, std::string help) {
  return Other(
      std::move(name), "duration", Setter(value, ParseGoDuration),
      [&value] { return FormatGoDuration(value); }, std::move(help));
}

Flag& FlagGroup::Bytes(std::string name, size_t& value, std::string help) {
  return Other(
      std::move(name), "quantity", Setter(value, ParseBytes),
      [&value] { return std::to_string(value); }, std::move(help));
}

Flag& FlagGroup::Level(std::string name, int32_t& value, std::string help) {
  return Other(
      std::move(name), "Level", Setter(value, ParseLevel),
      [&value] { return std::to_string(value); }, std::move(help));
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

}  // namespace berth::daemon
