#include "explain/patches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"

namespace berth::explain {
namespace {

std::string Lowercase(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

// Returns `text` as one word of a shell: names of objects come from others.
std::string ShellWord(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_' || c == '/';
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

// "deployment/web -n shop"
std::string ForKubectl(const ObjectName& object) {
  std::string text = ShellWord(fmt::format("{}/{}", Lowercase(object.kind), object.key.name));
  if (!object.key.namespace_.empty()) text += " -n " + ShellWord(object.key.namespace_);
  return text;
}

std::string PatchCommand(const Step& step) {
  return fmt::format("kubectl patch {} --type=json -p {}", ForKubectl(step.object),
                     ShellWord(step.body));
}

// A volume has a source, which only its author knows.
std::string CreateCommand(const ObjectName& name, const std::string& json) {
  if (name.kind == "PersistentVolume") return "";
  return fmt::format("printf %s {} | kubectl create -f -", ShellWord(json));
}

// Deletes the object and creates it again.
std::string ReplaceCommand(const Step& step) {
  return fmt::format(
      "kubectl get {} -o yaml | kubectl patch -f - --local --type=json -p {} -o yaml | kubectl "
      "replace --force -f -",
      ForKubectl(step.object), ShellWord(step.body));
}

std::string PatchJson(const std::vector<PatchOperation>& patch, const std::string& prefix) {
  api::JsonWriter writer;
  writer.BeginArray();
  for (const PatchOperation& operation : patch) {
    writer.BeginObject();
    writer.Key("op");
    writer.String(operation.op);
    if (!operation.from.empty()) {
      writer.Key("from");
      writer.String(prefix + operation.from);
    }
    writer.Key("path");
    writer.String(prefix + operation.path);
    if (!operation.value.empty()) {
      writer.Key("value");
      writer.Raw(operation.value);
    }
    writer.EndObject();
  }
  writer.EndArray();
  return writer.Take();
}

ObjectName NameIn(const std::string& json) {
  ObjectName name;
  const auto document = api::ParseJson(json);
  const api::JsonObject* object = document ? api::AsObject(*document) : nullptr;
  const api::JsonObject* metadata = api::ObjectAt(object, "metadata");
  name.api_version = api::StringAt(object, "apiVersion");
  name.kind = api::StringAt(object, "kind");
  name.key.namespace_ = api::StringAt(metadata, "namespace");
  name.key.name = api::StringAt(metadata, "name");
  return name;
}

}  // namespace

std::vector<Step> StepsOf(const Fix& fix, const Workload& workload) {
  std::vector<Step> steps;
  for (const Change& change : fix.changes) {
    for (const std::string& created : change.created) {
      const ObjectName name = NameIn(created);
      steps.push_back({fmt::format("create {} {}", name.kind, name.key.ToString()), name,
                       CreateCommand(name, created), change.remark, created});
    }
    const bool of_pod = static_cast<bool>(change.edit_pod);
    Step step{change.text, of_pod ? workload.name : change.object, "", change.remark, ""};
    if (change.moves != nullptr) {
      const api::ObjectMeta& meta = change.moves->metadata;
      step.object = {"v1", "Pod", {meta.namespace_, meta.name}};
      step.command = fmt::format("kubectl delete {}", ForKubectl(step.object));
    } else if (!change.patch.empty()) {
      std::vector<PatchOperation> patch = change.patch;
      if (change.kind == ChangeKind::kRaisePriority && workload.pod_path.empty()) {
        // The API server has set it, and sets it again.
        patch.push_back({"add", "/spec/priority", "null"});
        patch.push_back({"add", "/spec/preemptionPolicy", "null"});
      }
      step.body = PatchJson(patch, of_pod ? workload.pod_path : "");
      const bool in_place = of_pod ? workload.changes_in_place : change.in_place;
      step.command = in_place ? PatchCommand(step) : ReplaceCommand(step);
      if (!in_place && step.remark.empty()) {
        step.remark = fmt::format(
            "a {} cannot be changed like this: it is deleted and created again", step.object.kind);
      }
    } else if (!change.created.empty()) {
      continue;  // The steps above are all.
    }
    steps.push_back(std::move(step));
  }
  for (const ObjectName& old : fix.obsolete) {
    steps.push_back({fmt::format("delete {} {}, with the replicas of the old template", old.kind,
                                 old.key.ToString()),
                     old, fmt::format("kubectl delete {}", ForKubectl(old)),
                     "they exclude the new ones, so that a rolling update would never end", ""});
  }
  return steps;
}

}  // namespace berth::explain
