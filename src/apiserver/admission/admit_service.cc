// AdmitService: the addresses and ports that a Service is given.
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/admission.h"
#include "apiserver/admission/field_errors.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/store/codec.h"
#include "base/random.h"

namespace berth::apiserver::admission {
namespace {

// The service range 10.96.0.0/12 has 20 bits. The first addresses are reserved for static
// assignment.
constexpr uint32_t kRange = 10U << 24 | 96U << 16;
constexpr uint32_t kAddresses = 1U << 20;
constexpr uint32_t kStaticAddresses = 256;
constexpr int64_t kFirstPort = 30'000;
constexpr int64_t kPorts = 2'768;

bool HasType(const api::JsonObject* spec, std::string_view type) {
  return api::StringAt(spec, "type") == type;
}

bool NeedsNodePorts(const api::JsonObject* spec) {
  if (HasType(spec, "NodePort")) return true;
  const api::Json* allocate = api::At(spec, "allocateLoadBalancerNodePorts");
  return HasType(spec, "LoadBalancer") && (allocate == nullptr || *allocate != api::Json(false));
}

// Load balancers find out which nodes have endpoints.
bool NeedsHealthCheckPort(const api::JsonObject* spec) {
  return HasType(spec, "LoadBalancer") && api::StringAt(spec, "externalTrafficPolicy") == "Local";
}

bool IsAllocated(const store::Store& store, const api::scheme::Kind& kind,
                 const std::string& address) {
  store::ListQuery query;
  query.limit = 1;
  query.matches = [&](const store::Object& service) {
    return !service.fields.empty() && service.fields.front() == address;
  };
  return !store.List(kind.collection, query).objects.empty();
}

std::string AllocateAddress(AdmissionContext& context, const api::scheme::Kind& kind) {
  for (;;) {
    const auto offset = static_cast<uint32_t>(
        kStaticAddresses + context.random.Below(kAddresses - kStaticAddresses - 1));
    const uint32_t address = kRange + offset;
    std::string text = fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255,
                                   address >> 8 & 255, address & 255);
    if (!IsAllocated(context.store, kind, text)) return text;
  }
}

// PortAllocator gives out node ports that no service has.
class PortAllocator {
 public:
  PortAllocator(AdmissionContext& context, const api::scheme::Kind& kind)
      : random_(context.random) {
    store::ListQuery query;
    query.matches = [](const store::Object& service) {
      return service.fields.size() > 1 && service.fields[1] != "ClusterIP";
    };
    for (const store::ObjectPtr& object : context.store.List(kind.collection, query).objects) {
      const api::Json document = store::Parse(*object);
      const api::JsonObject* spec = api::ObjectAt(api::AsObject(document), "spec");
      allocated_.insert(api::IntAt(spec, "healthCheckNodePort").value_or(0));
      const api::JsonArray* ports = api::ArrayAt(spec, "ports");
      for (size_t i = 0; ports && i < ports->size(); ++i) {
        allocated_.insert(api::IntAt(api::AsObject((*ports)[i]), "nodePort").value_or(0));
      }
    }
  }

  // Sets `key` of `object` unless it has a value. Returns false if all ports are taken.
  bool Fill(api::JsonObject& object, std::string_view key) {
    if (api::IntAt(&object, key).value_or(0) != 0) return true;
    for (int64_t tries = 0; tries < 4 * kPorts; ++tries) {
      const int64_t draw =
          kFirstPort + static_cast<int64_t>(random_.Below(static_cast<uint64_t>(kPorts)));
      if (!allocated_.insert(draw).second) continue;
      api::SetInt(object, key, draw);
      return true;
    }
    return false;
  }

 private:
  Random& random_;
  std::set<int64_t> allocated_;
};

bool FillPorts(AdmissionContext& context, const api::scheme::Kind& kind, api::JsonObject& spec) {
  api::JsonArray* ports = NeedsNodePorts(&spec) ? api::ArrayAt(&spec, "ports") : nullptr;
  if (ports == nullptr && !NeedsHealthCheckPort(&spec)) return true;
  PortAllocator allocator(context, kind);
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    api::JsonObject* port = (*ports)[i].if_object();
    if (port && !allocator.Fill(*port, "nodePort")) return false;
  }
  return !NeedsHealthCheckPort(&spec) || allocator.Fill(spec, "healthCheckNodePort");
}

std::map<std::string, int64_t> NodePortsByName(const api::JsonObject* spec) {
  std::map<std::string, int64_t> numbers;
  const api::JsonArray* ports = api::ArrayAt(spec, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    const api::JsonObject* port = api::AsObject((*ports)[i]);
    const int64_t number = api::IntAt(port, "nodePort").value_or(0);
    if (number != 0) numbers[std::string(api::StringAt(port, "name"))] = number;
  }
  return numbers;
}

// Copies the node ports that an update omits from the ports of the same names.
void CopyNodePorts(const api::JsonObject* before, api::JsonObject& spec) {
  const std::map<std::string, int64_t> old_ports = NodePortsByName(before);
  std::set<int64_t> given;
  for (const auto& [name, number] : NodePortsByName(&spec)) given.insert(number);
  api::JsonArray* ports = api::ArrayAt(&spec, "ports");
  for (size_t i = 0; ports && i < ports->size(); ++i) {
    api::JsonObject* port = (*ports)[i].if_object();
    if (!port || api::IntAt(port, "nodePort").value_or(0) != 0) continue;
    const auto found = old_ports.find(std::string(api::StringAt(port, "name")));
    if (found != old_ports.end() && !given.contains(found->second)) {
      api::SetInt(*port, "nodePort", found->second);
    }
  }
}

// Copies what was allocated and an update omits.
void CopyAllocated(const api::JsonObject* before, api::JsonObject& spec) {
  for (const std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    const api::Json* given = api::At(before, key);
    if (given && api::IsEmpty(api::At(&spec, key))) spec[key] = *given;
  }
  if (NeedsNodePorts(before) && NeedsNodePorts(&spec)) CopyNodePorts(before, spec);
  if (NeedsHealthCheckPort(before) && NeedsHealthCheckPort(&spec)) {
    const auto port = api::IntAt(before, "healthCheckNodePort");
    if (port && api::IntAt(&spec, "healthCheckNodePort").value_or(0) == 0) {
      api::SetInt(spec, "healthCheckNodePort", *port);
    }
  }
}

// Removes `key` if it is as it was: the client has only not thought of it.
void DropUnchanged(const api::JsonObject* before, api::JsonObject& spec, std::string_view key) {
  if (api::SameAt(before, &spec, key)) spec.erase(key);
}

// Removes what was allocated or defaulted for the type that the service had before.
void DropUnneeded(const api::JsonObject* before, api::JsonObject& spec) {
  if (HasType(&spec, "ExternalName") && !HasType(before, "ExternalName")) {
    for (const std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      DropUnchanged(before, spec, key);
    }
  }
  if (NeedsNodePorts(before) && !NeedsNodePorts(&spec) &&
      NodePortsByName(before) == NodePortsByName(&spec)) {
    api::JsonArray* ports = api::ArrayAt(&spec, "ports");
    for (size_t i = 0; ports && i < ports->size(); ++i) {
      if (api::JsonObject* port = (*ports)[i].if_object()) port->erase("nodePort");
    }
  }
  if (NeedsHealthCheckPort(before) && !NeedsHealthCheckPort(&spec)) {
    DropUnchanged(before, spec, "healthCheckNodePort");
  }
  const bool balanced = HasType(&spec, "LoadBalancer");
  if (HasType(before, "LoadBalancer") && !balanced) {
    DropUnchanged(before, spec, "allocateLoadBalancerNodePorts");
    DropUnchanged(before, spec, "loadBalancerClass");
  }
  if (!balanced && !HasType(&spec, "NodePort")) {
    DropUnchanged(before, spec, "externalTrafficPolicy");
  }
}

}  // namespace

api::scheme::ApiResult<void> AdmitService(AdmissionContext& context, const api::scheme::Kind& kind,
                                          const api::JsonObject* before, api::JsonObject& service) {
  const std::string name(api::StringAt(&MetadataOf(service), "name"));
  api::JsonObject& spec = api::EnsureObject(service, "spec");
  const api::JsonObject* old_spec = api::ObjectAt(before, "spec");
  if (old_spec) DropUnneeded(old_spec, spec);
  if (HasType(&spec, "ExternalName")) return {};
  CopyAllocated(old_spec, spec);
  std::string address(api::StringAt(&spec, "clusterIP"));
  if (address.empty()) {
    address = AllocateAddress(context, kind);
    api::SetString(spec, "clusterIP", address);
  } else if (address != "None" && address != api::StringAt(old_spec, "clusterIP") &&
             IsAllocated(context.store, kind, address)) {
    FieldErrors errors;
    const FieldPath path("spec");
    errors.Invalid(path / "clusterIPs", address,
                   "failed to allocate IP " + address + ": provided IP is already allocated");
    return std::unexpected(api::scheme::Invalid(kind, name, errors.Take()));
  }
  if (api::EmptyAt(&spec, "clusterIPs")) api::EnsureArray(spec, "clusterIPs").emplace_back(address);
  if (api::EmptyAt(&spec, "ipFamilies")) api::EnsureArray(spec, "ipFamilies").emplace_back("IPv4");
  api::DefaultString(spec, "ipFamilyPolicy", "SingleStack");
  if (!FillPorts(context, kind, spec)) {
    return std::unexpected(api::scheme::Forbidden(kind, name, "all node ports are taken"));
  }
  return {};
}

}  // namespace berth::apiserver::admission
