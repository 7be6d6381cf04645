#include "framework/extender_request.h"

#include <fmt/format.h>

#include "api/encode.h"
#include "api/json_writer.h"
#include "base/check.h"

namespace berth {

namespace {

void AppendKey(std::string& out, std::string_view key) {
  if (!out.ends_with('{')) out += ',';
  api::AppendJsonString(out, key);
  out += ':';
}

void AppendText(std::string& out, std::string_view key, std::string_view text) {
  AppendKey(out, key);
  api::AppendJsonString(out, text);
}

// Calls append(item) for each, with commas between.
void AppendList(std::string& out, const auto& items, auto append) {
  out += '[';
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    append(item);
  }
  out += ']';
}

// Objects within other objects go without apiVersion and kind.
template <typename T>
void AppendObject(std::string& out, const T& object) {
  if (object.text.json != nullptr) {
    out += *object.text.json;
    return;
  }
  const std::string json = api::EncodeJson(object);
  const std::string typed = fmt::format(R"({{"apiVersion":"{}","kind":"{}")",
                                        api::KindOf<T>().api_version, api::KindOf<T>().kind);
  CHECK(json.starts_with(typed));
  std::string_view rest = std::string_view(json).substr(typed.size());
  if (rest.starts_with(',')) rest.remove_prefix(1);
  out += '{';
  out += rest;
}

void AppendNodes(std::string& out, std::span<const api::Node* const> nodes) {
  AppendKey(out, "Nodes");
  out += R"({"metadata":{},"items":)";
  AppendList(out, nodes, [&](const api::Node* node) { AppendObject(out, *node); });
  out += '}';
  AppendKey(out, "NodeNames");
  out += "null";
}

void AppendNodeNames(std::string& out, std::span<const api::Node* const> nodes) {
  AppendKey(out, "Nodes");
  out += "null";
  AppendKey(out, "NodeNames");
  AppendList(out, nodes,
             [&](const api::Node* node) { api::AppendJsonString(out, node->metadata.name); });
}

// append_pod(pod) says who a victim is.
void AppendVictims(std::string& out, const auto& victims_by_node, auto append_pod) {
  out += '{';
  for (const auto& [node, victims] : victims_by_node) {
    AppendKey(out, node);
    out += '{';
    AppendKey(out, "Pods");
    AppendList(out, victims.pods, append_pod);
    AppendKey(out, "NumPDBViolations");
    out += fmt::format("{}}}", victims.budget_violations);
  }
  out += '}';
}

}  // namespace

std::string EncodeExtenderArgs(const ExtenderConfig& extender, const api::Pod& pod,
                               std::span<const api::Node* const> nodes) {
  std::string out = "{";
  AppendKey(out, "Pod");
  AppendObject(out, pod);
  if (extender.node_cache_capable) {
    AppendNodeNames(out, nodes);
  } else {
    AppendNodes(out, nodes);
  }
  return out += '}';
}

std::string EncodeExtenderBindingArgs(const BindPod& bind) {
  std::string out = "{";
  AppendText(out, "PodName", bind.pod.name);
  AppendText(out, "PodNamespace", bind.pod.namespace_);
  AppendText(out, "PodUID", bind.uid);
  AppendText(out, "Node", bind.node);
  return out += '}';
}

std::string EncodeExtenderPreemptionArgs(
    const ExtenderConfig& extender, const api::Pod& pod,
    const std::map<std::string, ExtenderVictims, std::less<>>& victims_by_node) {
  std::string out = "{";
  AppendKey(out, "Pod");
  AppendObject(out, pod);
  AppendKey(out, "NodeNameToVictims");
  if (extender.node_cache_capable) {
    out += "null";
  } else {
    AppendVictims(out, victims_by_node, [&](const api::Pod* p) { AppendObject(out, *p); });
  }
  AppendKey(out, "NodeNameToMetaVictims");
  if (extender.node_cache_capable) {
    AppendVictims(out, victims_by_node, [&](const api::Pod* p) {
      out += '{';
      AppendText(out, "UID", p->metadata.uid);
      out += '}';
    });
  } else {
    out += "null";
  }
  return out += '}';
}

}  // namespace berth
