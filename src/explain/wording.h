// A sentence, and how sentences write amounts, lists and counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::explain {

// What decides about a pod.
struct Sentence {
  std::string text;      // Without a full stop at its end.
  std::string obstacle;  // Equal for pods that fail alike: "NodeResourcesFit cpu".
};

// "1 node", "3 nodes"; "2 replicas"
std::string Count(size_t number, std::string_view noun);

// "a", "a and b", "a, b, c and 7 more"
std::string SomeOf(const std::vector<std::string>& names);

// "7.2 cpu", "1.5Gi memory", "2 nvidia.com/gpu": thousandths of cpu, units of all others.
std::string AmountText(std::string_view resource, int64_t amount);
// The same without the resource: "7.2".
std::string BareAmount(std::string_view resource, int64_t amount);

// The domains of a topology key, in singular: "zone", "node", "example.com/rack".
std::string DomainNoun(std::string_view topology_key);

// With its first letter in upper case.
std::string Capitalized(std::string text);

}  // namespace berth::explain
