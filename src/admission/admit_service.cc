// Admission of services: addresses and node ports are given out.
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "admission/admission.h"
#include "admission/field_errors.h"
#include "admission/metadata.h"
#include "kinds/draft.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

namespace {

// 10.96.0.0/12: 20 bits are free. The first addresses are kept for those who ask for them.
constexpr uint32_t kRange = 10U << 24 | 96U << 16;
constexpr uint32_t kAddresses = 1U << 20;
constexpr uint32_t kKept = 256;
constexpr int64_t kFirstPort = 30'000;
constexpr int64_t kPorts = 2'768;

bool IsTaken(const store::Store& store, const Kind& kind, const std::string& address) {
  store::ListQuery query;
  query.limit = 1;
  query.matches = [&](const store::Object& service) {
    return !service.fields.empty() && service.fields.front() == address;
  };
  return !store.List(kind.collection, query).objects.empty();
}

std::string FreeAddress(AdmissionContext& context, const Kind& kind) {
  for (;;) {
    const auto offset = static_cast<uint32_t>(kKept + context.random.Below(kAddresses - kKept - 1));
    const uint32_t address = kRange + offset;
    std::string text = fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255,
                                   address >> 8 & 255, address & 255);
    if (!IsTaken(context.store, kind, text)) return text;
  }
}

std::set<int64_t> TakenPorts(const store::Store& store, const Kind& kind) {
  std::set<int64_t> taken;
  store::ListQuery query;
  query.matches = [](const store::Object& service) {
    return service.fields.size() > 1 && service.fields[1] != "ClusterIP";
  };
  for (const store::ObjectPtr& object : store.List(kind.collection, query).objects) {
    const Json document = Parse(*object);
    const JsonArray* ports = ArrayAt(ObjectAt(AsObject(document), "spec"), "ports");
    for (size_t i = 0; ports && i < ports->size(); ++i) {
      taken.insert(IntAt(AsObject((*ports)[i]), "nodePort").value_or(0));
    }
  }
  return taken;
}

ApiResult<void> GivePorts(AdmissionContext& context, const Kind& kind, std::string_view name,
                          JsonArray& ports) {
  std::set<int64_t> taken = TakenPorts(context.store, kind);
  for (Json& item : ports) {
    JsonObject* port = item.if_object();
    if (!port || IntAt(port, "nodePort").value_or(0) != 0) continue;
    int64_t number = 0;
    for (int64_t tries = 0; tries < 4 * kPorts && number == 0; ++tries) {
      const int64_t draw =
          kFirstPort + static_cast<int64_t>(context.random.Below(static_cast<uint64_t>(kPorts)));
      if (taken.insert(draw).second) number = draw;
    }
    if (number == 0) {
      return std::unexpected(Forbidden(kind, name, "all node ports are taken"));
    }
    SetInt(*port, "nodePort", number);
  }
  return {};
}

// An update that leaves out what was given keeps it.
void KeepGiven(const JsonObject* before, JsonObject& spec) {
  for (const std::string_view key : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    const Json* given = At(before, key);
    if (given && IsEmpty(At(&spec, key))) spec[key] = *given;
  }
  const JsonArray* old_ports = ArrayAt(before, "ports");
  JsonArray* ports = ArrayAt(&spec, "ports");
  if (!old_ports || !ports || StringAt(&spec, "type") == "ClusterIP") return;
  for (Json& item : *ports) {
    JsonObject* port = item.if_object();
    if (!port || IntAt(port, "nodePort").value_or(0) != 0) continue;
    for (const Json& old_item : *old_ports) {
      const JsonObject* old_port = AsObject(old_item);
      const auto number = IntAt(old_port, "nodePort");
      if (number && SameAt(old_port, port, "port") && SameAt(old_port, port, "protocol")) {
        SetInt(*port, "nodePort", *number);
      }
    }
  }
}

}  // namespace

ApiResult<void> AdmitService(AdmissionContext& context, const Kind& kind, const JsonObject* before,
                             JsonObject& service) {
  const std::string name(StringAt(&MetadataOf(service), "name"));
  JsonObject& spec = ObjectIn(service, "spec");
  const std::string type(StringAt(&spec, "type"));
  if (type == "ExternalName") return {};
  const JsonObject* old_spec = ObjectAt(before, "spec");
  KeepGiven(old_spec, spec);
  std::string address(StringAt(&spec, "clusterIP"));
  if (address.empty()) {
    address = FreeAddress(context, kind);
    SetString(spec, "clusterIP", address);
  } else if (address != "None" && address != StringAt(old_spec, "clusterIP") &&
             IsTaken(context.store, kind, address)) {
    FieldErrors errors;
    const FieldPath path("spec");
    errors.Invalid(path / "clusterIPs", address,
                   "failed to allocate IP " + address + ": provided IP is already allocated");
    return std::unexpected(Invalid(kind, name, errors.Take()));
  }
  if (EmptyAt(&spec, "clusterIPs")) ArrayIn(spec, "clusterIPs").emplace_back(address);
  if (EmptyAt(&spec, "ipFamilies")) ArrayIn(spec, "ipFamilies").emplace_back("IPv4");
  DefaultString(spec, "ipFamilyPolicy", "SingleStack");
  JsonArray* ports = ArrayAt(&spec, "ports");
  if (ports && (type == "NodePort" || type == "LoadBalancer")) {
    return GivePorts(context, kind, name, *ports);
  }
  return {};
}

}  // namespace berth::apiserver
