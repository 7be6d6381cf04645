#include "api/undecodable_fields.h"

#include <iterator>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace berth::api {

namespace {

// In the order of UndecodableFields::Part.
constexpr std::string_view kPaths[] = {
    "metadata.namespace", "metadata.uid", "metadata.labels", "spec", "spec.nodeAffinity", "status"};

bool IsWithin(std::string_view path, std::string_view part) {
  return path.starts_with(part) &&
         (path.size() == part.size() || path[part.size()] == '.' || path[part.size()] == '[');
}

}  // namespace

void UndecodableFields::AddOmitted(std::string path, std::string problem) {
  for (size_t part = 0; part < std::size(kPaths); ++part) {
    // An object that breaks off may lack all that comes after its namespace.
    const bool breaks_off = path.empty() && part != static_cast<size_t>(Part::kNamespace);
    if (breaks_off || IsWithin(path, kPaths[part])) lacking_ |= static_cast<uint8_t>(1u << part);
  }
  Add(std::move(path), std::move(problem));
}

void UndecodableFields::AddAdjusted(std::string path, std::string problem) {
  Add(std::move(path), std::move(problem));
}

void UndecodableFields::Add(std::string path, std::string problem) {
  constexpr size_t kMaxText = 200;
  if (count_++ >= kMaxDescribed) return;
  described_.push_back(
      {path.size() > kMaxText ? Shorten(path, kMaxText) : std::move(path),
       problem.size() > kMaxText ? Shorten(problem, kMaxText) : std::move(problem)});
}

}  // namespace berth::api
