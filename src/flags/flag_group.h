// FlagGroup adds flags to one group of a FlagSet, with one function per type of value:
//
//   FlagGroup group(command.flags);
//   group.Text("output", options.output, "Output format").Short('o').OneOf({"json", "yaml"});
//   group.Uint("port", options.port, "Port to listen on; 0 picks a free one");
//
// The value of a variable when its flag is added is the flag's default.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "flags/flag_set.h"
#include "flags/flag_values.h"

namespace berth::flags {

class FlagGroup {
 public:
  // `flags`, and the variables that the flags set, must outlive their use.
  explicit FlagGroup(FlagSet& flags, std::string name = "")
      : flags_(flags), name_(std::move(name)) {}

  Flag& Switch(std::string name, bool& value, std::string help);
  Flag& Text(std::string name, std::string& value, std::string help);
  // An IP address.
  Flag& Address(std::string name, std::string& value, std::string help);
  Flag& Int(std::string name, int64_t& value, std::string help);
  Flag& Int32(std::string name, int32_t& value, std::string help);
  Flag& Float(std::string name, float& value, std::string help);
  Flag& Time(std::string name, Duration& value, std::string help);
  Flag& Level(std::string name, int32_t& value, std::string help);
  // a,b,c. The first use on the command line replaces the default; further ones append.
  Flag& List(std::string name, std::vector<std::string>& value, std::string help);
  Flag& Numbers(std::string name, std::vector<int32_t>& value, std::string help);
  // Each use appends its whole value.
  Flag& Repeated(std::string name, std::vector<std::string>& value, std::string help);
  // A number in [min, max]. The errors name the bounds, not Go's function.
  template <std::integral T>
  Flag& Uint(std::string name, T& value, std::string help, uint64_t min = 0,
             uint64_t max = std::numeric_limits<T>::max());
  Flag& Double(std::string name, double& value, std::string help, double min, double max);

  // Add a flag of any other type. `parse` returns a Result with the value, `show` its text.
  template <typename T, typename Parse, typename Show>
  Flag& Parsed(std::string name, std::string type, T& value, Parse parse, Show show,
               std::string help);
  Flag& Other(std::string name, std::string type, std::function<Status(const std::string&)> set,
              std::function<std::string()> show, std::string help);

 private:
  FlagSet& flags_;
  std::string name_;
};

template <typename T, typename Parse, typename Show>
Flag& FlagGroup::Parsed(std::string name, std::string type, T& value, Parse parse, Show show,
                        std::string help) {
  auto set = [&value, parse = std::move(parse)](const std::string& text) -> Status {
    auto parsed = parse(text);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    value = static_cast<T>(*std::move(parsed));
    return {};
  };
  return Other(
      std::move(name), std::move(type), std::move(set),
      [&value, show = std::move(show)]() -> std::string { return show(value); }, std::move(help));
}

template <std::integral T>
Flag& FlagGroup::Uint(std::string name, T& value, std::string help, uint64_t min, uint64_t max) {
  return Parsed(
      std::move(name), "N", value,
      [min, max](const std::string& text) { return ParseUint(text, min, max); },
      [](T number) { return std::to_string(number); }, std::move(help));
}

}  // namespace berth::flags
