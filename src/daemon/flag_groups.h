// FlagGroup adds flags to one group of a FlagSet, with one function per type of value; the Add
// functions define the groups of the command line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "daemon/flag_set.h"
#include "daemon/flags.h"

namespace berth::daemon {

class FlagGroup {
 public:
  // `flags`, and the variables that the flags set, must outlive their use.
  FlagGroup(FlagSet& flags, std::string name) : flags_(flags), name_(std::move(name)) {}

  Flag& Switch(std::string name, bool& value, std::string help);
  Flag& Text(std::string name, std::string& value, std::string help);
  Flag& Address(std::string name, std::string& value, std::string help);
  Flag& Int(std::string name, int64_t& value, std::string help);
  Flag& Int32(std::string name, int32_t& value, std::string help);
  Flag& Float(std::string name, float& value, std::string help);
  Flag& Time(std::string name, Duration& value, std::string help);
  Flag& Bytes(std::string name, size_t& value, std::string help);
  Flag& Level(std::string name, int32_t& value, std::string help);
  // The first use on the command line replaces the default; further ones append.
  Flag& List(std::string name, std::vector<std::string>& value, std::string help);
  Flag& Numbers(std::string name, std::vector<int32_t>& value, std::string help);

  // Adds a flag of any other type.
  Flag& Other(std::string name, std::string type, std::function<Status(const std::string&)> set,
              std::function<std::string()> show, std::string help);

 private:
  FlagSet& flags_;
  std::string name_;
};

void AddServingFlags(FlagSet& flags, ServingFlags& serving);
void AddAuthenticationFlags(FlagSet& flags, AuthenticationFlags& authentication);
void AddAuthorizationFlags(FlagSet& flags, AuthorizationFlags& authorization);
void AddDeprecatedFlags(FlagSet& flags, DeprecatedFlags& deprecated);
void AddLeaderElectionFlags(FlagSet& flags, scheduler::config::LeaderElection& election);
void AddFeatureFlags(FlagSet& flags, FeatureFlags& features);
void AddMetricsFlags(FlagSet& flags, MetricsFlags& metrics);
void AddLogFlags(FlagSet& flags, LogFlags& logs);

}  // namespace berth::daemon
