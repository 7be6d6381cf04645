#include "explain/wording.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "scheduler/plugins/explanation_text.h"

namespace berth::explain {

std::string Count(size_t number, std::string_view noun) {
  return fmt::format("{} {}{}", number, noun, number == 1 ? "" : "s");
}

std::string SomeOf(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  if (names.empty()) return "";
  if (names.size() == 1) return names[0];
  const bool all = names.size() <= kShown + 1;
  const size_t listed = all ? names.size() - 1 : kShown;
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + static_cast<ptrdiff_t>(listed));
  return fmt::format("{} and {}", fmt::join(first, ", "),
                     all ? names.back() : fmt::format("{} more", names.size() - listed));
}

std::string BareAmount(std::string_view resource, int64_t amount) {
  if (resource != "cpu") return scheduler::plugins::FormatAmount(resource, amount);
  std::string text = fmt::format("{}.{:03}", amount / 1000, amount % 1000);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string AmountText(std::string_view resource, int64_t amount) {
  return fmt::format("{} {}", BareAmount(resource, amount), resource);
}

std::string DomainNoun(std::string_view topology_key) {
  if (topology_key == scheduler::plugins::kHostnameKey) return "node";
  if (topology_key.ends_with("/zone")) return "zone";
  if (topology_key.ends_with("/region")) return "region";
  return std::string(topology_key);
}

std::string Capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

}  // namespace berth::explain
