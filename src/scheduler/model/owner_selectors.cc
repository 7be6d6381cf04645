#include "scheduler/model/owner_selectors.h"

#include <utility>

namespace berth::scheduler::model {
namespace {

bool HasConditions(const api::Service& service) {
  return service.selector && !service.selector->empty();
}

}  // namespace

// None of the parts contains '\0' in a valid object.
std::string OwnerSelectors::ServiceKey(std::string_view namespace_, std::string_view key,
                                       std::string_view value) {
  std::string text;
  text.reserve(namespace_.size() + key.size() + value.size() + 2);
  text.append(namespace_).push_back('\0');
  text.append(key).push_back('\0');
  text.append(value);
  return text;
}

bool OwnerSelectors::HasAll(const api::StringMap& labels, const api::StringMap& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& label) {
    const auto found = labels.find(label.first);
    return found != labels.end() && found->second == label.second;
  });
}

void OwnerSelectors::Add(std::shared_ptr<const api::Service> service) {
  if (!HasConditions(*service)) return;
  const auto& [key, value] = *service->selector->begin();
  services_[ServiceKey(service->metadata.namespace_, key, value)].push_back(std::move(service));
}

void OwnerSelectors::Remove(const api::Service& service) {
  if (!HasConditions(service)) return;
  const auto& [key, value] = *service.selector->begin();
  const auto found = services_.find(ServiceKey(service.metadata.namespace_, key, value));
  if (found == services_.end()) return;
  std::erase_if(found->second, [&](const auto& other) {
    return other->metadata.name == service.metadata.name &&
           other->metadata.namespace_ == service.metadata.namespace_;
  });
  if (found->second.empty()) services_.erase(found);
}

}  // namespace berth::scheduler::model
