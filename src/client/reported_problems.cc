#include "client/reported_problems.h"

#include <fmt/format.h>

#include <functional>

namespace berth::client {

bool ReportedProblems::Add(std::string_view object, std::string_view problem) {
  const std::hash<std::string_view> hash;
  if (hashes_.size() >= kMaxRemembered) hashes_.clear();
  return hashes_.insert(hash(object) * 31 + hash(problem)).second;
}

std::string NewProblems(std::string_view object, const api::UndecodableFields& undecodable,
                        ReportedProblems& reported) {
  std::string text;
  for (const auto& [path, problem] : undecodable.described()) {
    if (!reported.Add(object, path)) continue;
    if (!text.empty()) text += "; ";
    if (!path.empty()) text.append(path).append(": ");
    text += problem;
  }
  const size_t more = undecodable.count() - undecodable.described().size();
  if (!text.empty() && more > 0) text += fmt::format("; and {} more", more);
  return text;
}

}  // namespace berth::client
