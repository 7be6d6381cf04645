#include "patch/field_set.h"

#include <boost/json.hpp>
#include <utility>

namespace berth::apiserver {
namespace {

constexpr std::string_view kSelf = ".";

bool IsElement(std::string_view text) {
  return text.size() >= 2 && text[1] == ':' &&
         (text[0] == 'f' || text[0] == 'k' || text[0] == 'v' || text[0] == 'i');
}

// `[containerPort=80,protocol="TCP"]` of the keys in `json`.
std::string KeysText(std::string_view json) {
  boost::json::error_code error;
  const Json keys = boost::json::parse(json, error);
  if (error || !keys.is_object()) return "[" + std::string(json) + "]";
  std::string text;
  for (const auto& key : keys.get_object()) {
    if (!text.empty()) text += ",";
    text += std::string(key.key()) + "=" + boost::json::serialize(key.value());
  }
  return "[" + text + "]";
}

std::string ElementText(std::string_view element) {
  const std::string_view content = element.substr(2);
  switch (element[0]) {
    case 'f':
      return "." + std::string(content);
    case 'k':
      return KeysText(content);
    case 'v':
      return "[=" + std::string(content) + "]";
    default:
      return "[" + std::string(content) + "]";
  }
}

}  // namespace

FieldSet FieldSet::FromJson(const JsonObject& fields) {
  FieldSet set;
  for (const auto& [key, value] : fields) {
    if (key == kSelf) {
      set.owned_ = true;
      continue;
    }
    const auto* below = value.if_object();
    if (below == nullptr || !IsElement(key)) continue;
    FieldSet child = FromJson(*below);
    if (below->empty()) child.owned_ = true;
    set.Put(key, std::move(child));
  }
  return set;
}

JsonObject FieldSet::ToJson() const {
  JsonObject fields;
  if (owned_ && !children_.empty()) fields.emplace(kSelf, JsonObject());
  for (const auto& [element, below] : children_) fields.emplace(element, below.ToJson());
  return fields;
}

const FieldSet* FieldSet::Find(std::string_view element) const {
  const auto child = children_.find(element);
  return child == children_.end() ? nullptr : &child->second;
}

void FieldSet::Put(std::string element, FieldSet below) {
  if (!below.Empty()) children_.insert_or_assign(std::move(element), std::move(below));
}

void FieldSet::Erase(std::string_view element) {
  const auto child = children_.find(element);
  if (child != children_.end()) children_.erase(child);
}

FieldSet FieldSet::Union(const FieldSet& other) const {
  FieldSet result = *this;
  result.owned_ = owned_ || other.owned_;
  for (const auto& [element, below] : other.children_) {
    const FieldSet* mine = Find(element);
    result.Put(element, mine != nullptr ? mine->Union(below) : below);
  }
  return result;
}

FieldSet FieldSet::Difference(const FieldSet& other) const {
  FieldSet result;
  result.owned_ = owned_ && !other.owned_;
  for (const auto& [element, below] : children_) {
    const FieldSet* theirs = other.Find(element);
    result.Put(element, theirs != nullptr ? below.Difference(*theirs) : below);
  }
  return result;
}

FieldSet FieldSet::Intersection(const FieldSet& other) const {
  FieldSet result;
  result.owned_ = owned_ && other.owned_;
  for (const auto& [element, below] : children_) {
    if (const FieldSet* theirs = other.Find(element)) {
      result.Put(element, below.Intersection(*theirs));
    }
  }
  return result;
}

void FieldSet::AddPaths(const std::string& prefix, std::vector<std::string>& paths) const {
  for (const auto& [element, below] : children_) {
    if (below.owned_) paths.push_back(prefix + ElementText(element));
  }
  for (const auto& [element, below] : children_) {
    if (!below.children_.empty()) below.AddPaths(prefix + ElementText(element), paths);
  }
}

std::vector<std::string> FieldSet::Paths() const {
  std::vector<std::string> paths;
  AddPaths("", paths);
  return paths;
}

bool FieldSet::operator==(const FieldSet& other) const {
  return owned_ == other.owned_ && children_ == other.children_;
}

}  // namespace berth::apiserver
