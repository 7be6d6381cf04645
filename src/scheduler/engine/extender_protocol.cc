#include "scheduler/engine/extender_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "api/field_errors.h"
#include "api/json/document.h"
#include "api/json/encode.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "base/check.h"
#include "base/text.h"
#include "scheduler/framework/extender.h"

namespace berth::scheduler::engine {

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

// append_pod(pod) writes a victim.
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

std::string EncodeExtenderArgs(const framework::ExtenderConfig& extender, const api::Pod& pod,
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

std::string EncodeExtenderBindingArgs(const framework::BindPod& bind) {
  std::string out = "{";
  AppendText(out, "PodName", bind.pod.name);
  AppendText(out, "PodNamespace", bind.pod.namespace_);
  AppendText(out, "PodUID", bind.uid);
  AppendText(out, "Node", bind.node);
  return out += '}';
}

std::string EncodeExtenderPreemptionArgs(
    const framework::ExtenderConfig& extender, const api::Pod& pod,
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

namespace {

using api::Json;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool SameName(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, Lower, Lower);
}

std::string Describe(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  return Shorten(api::ToJsonText(json));
}

// ResponseReader reads one response. It records the first problem; after it, every call is a no-op.
class ResponseReader {
 public:
  // Reads a value; `path` is its place.
  using Read = std::function<void(const Json& value, const std::string& path)>;
  struct Field {
    std::string_view name;
    Read read;
  };

  ResponseReader(const framework::ExtenderConfig& extender, framework::ExtenderStep step,
                 std::string_view text)
      : extender_(extender), step_(step) {
    if (std::ranges::all_of(text, [](char c) { return std::string_view(" \t\r\n").contains(c); })) {
      Fail("", "the answer is empty");
    } else if (auto parsed = api::ParseJson(text)) {
      root_ = *std::move(parsed);
      duplicates_ = api::DuplicateKeys(text);
      // There may be others, which are not reported.
      if (duplicates_.size() >= api::kMaxReportedErrors) Fail("", "too many duplicate keys");
    } else {
      Fail("", fmt::format("invalid JSON ({}): {}", parsed.error().message, Shorten(text)));
    }
  }

  bool ok() const { return !problem_; }
  std::unexpected<Error> Failure() const {
    return berth::Fail(fmt::format("extender {}: answer to {}: {}",
                                   api::JsonQuoted(extender_.url_prefix),
                                   framework::VerbOf(extender_, step_), *problem_));
  }

  void Fail(const std::string& path, std::string_view problem) {
    if (problem_) return;
    problem_ = path.empty() ? std::string(problem) : fmt::format("{}: {}", path, problem);
  }

  // Fields whose value is stored in `out`, which must outlive the reading.
  Field TextInto(std::string_view name, std::string& out) {
    return {name, [&](const Json& value, const std::string& path) { out = Text(value, path); }};
  }
  Field IntegerInto(std::string_view name, int64_t& out) {
    return {name, [&](const Json& value, const std::string& path) {
              if (const auto* number = Expect(value.if_int64(), value, path, "an integer")) {
                out = *number;
              }
            }};
  }

  // A null response is one without fields, or an empty list.
  void RootFields(std::initializer_list<Field> fields) {
    if (ok() && !root_.is_null()) ReadFields(root_, "", fields);
  }
  void RootList(const Read& read) {
    if (ok() && !root_.is_null()) ReadList(root_, "", read);
  }

  // Skips fields that are null or not listed.
  void ReadFields(const Json& json, const std::string& path, std::initializer_list<Field> fields) {
    const auto* object = Expect(json.if_object(), json, path, "an object");
    if (!object) return;
    std::vector<const Field*> seen;
    for (const auto& [key, value] : *object) {
      const auto* field =
          std::ranges::find_if(fields, [&](const Field& f) { return SameName(f.name, key); });
      if (field == fields.end()) continue;
      const std::string place = Join(path, field->name);
      if (std::ranges::find(seen, field) != seen.end() || IsDuplicate(place)) {
        return Fail(place, "duplicate key");
      }
      seen.push_back(field);
      if (!value.is_null()) field->read(value, place);
      if (!ok()) return;
    }
  }

  // Nulls included, in maps and lists.
  void ReadMap(
      const Json& json, const std::string& path,
      const std::function<void(std::string_view key, const Json&, const std::string&)>& read) {
    const auto* object = Expect(json.if_object(), json, path, "an object");
    if (!object) return;
    for (const auto& [key, value] : *object) {
      const std::string place = Join(path, Shorten(key));
      if (IsDuplicate(Join(path, key))) return Fail(place, "duplicate key");
      read(key, value, place);
      if (!ok()) return;
    }
  }

  void ReadList(const Json& json, const std::string& path, const Read& read) {
    const auto* list = Expect(json.if_array(), json, path, "a list");
    if (!list) return;
    size_t index = 0;
    for (const Json& item : *list) {
      read(item, fmt::format("{}[{}]", path, index++));
      if (!ok()) return;
    }
  }

  std::string Text(const Json& json, const std::string& path) {
    if (json.is_null()) return {};
    Expect(json.if_string(), json, path, "a string");
    return std::string(api::AsString(json));
  }

 private:
  static std::string Join(const std::string& path, std::string_view name) {
    return path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
  }

  // Returns `value`, the value of `json` if that is of the right type; null is a problem.
  template <typename T>
  const T* Expect(const T* value, const Json& json, const std::string& path,
                  std::string_view expected) {
    if (!value) Fail(path, fmt::format("expected {}, found {}", expected, Describe(json)));
    return value;
  }

  // Names of fields are matched in any case, and so are paths.
  bool IsDuplicate(std::string_view path) const {
    return std::ranges::any_of(duplicates_,
                               [&](const std::string& other) { return SameName(other, path); });
  }

  const framework::ExtenderConfig& extender_;
  framework::ExtenderStep step_;
  Json root_;
  std::vector<std::string> duplicates_;  // The document itself has the last of each.
  std::optional<std::string> problem_;
};

void ReadReasons(ResponseReader& reader, const Json& json, const std::string& path,
                 ReasonByNode& out) {
  reader.ReadMap(json, path,
                 [&](std::string_view node, const Json& reason, const std::string& place) {
                   out.emplace(node, reader.Text(reason, place));
                 });
}

void ReadNodeList(ResponseReader& reader, const Json& json, const std::string& path,
                  std::vector<std::string>& out) {
  const auto read_node = [&](const Json& node, const std::string& place) {
    std::string& name = out.emplace_back();
    const auto read_metadata = [&](const Json& metadata, const std::string& inner) {
      reader.ReadFields(metadata, inner, {reader.TextInto("name", name)});
    };
    if (!node.is_null()) reader.ReadFields(node, place, {{"metadata", read_metadata}});
  };
  const auto read_items = [&](const Json& items, const std::string& place) {
    reader.ReadList(items, place, read_node);
  };
  reader.ReadFields(json, path, {{"items", read_items}});
}

void ReadMetaVictims(ResponseReader& reader, const Json& json, const std::string& path,
                     MetaVictims& out) {
  const auto read_pod = [&](const Json& pod, const std::string& place) {
    reader.ReadFields(pod, place, {reader.TextInto("UID", out.uids.emplace_back())});
  };
  const auto read_pods = [&](const Json& pods, const std::string& place) {
    reader.ReadList(pods, place, read_pod);
  };
  reader.ReadFields(
      json, path,
      {{"Pods", read_pods}, reader.IntegerInto("NumPDBViolations", out.budget_violations)});
}

}  // namespace

Result<ExtenderFilterResult> DecodeExtenderFilterResult(
    const framework::ExtenderConfig& extender, std::string_view json,
    const std::function<bool(std::string_view node)>& was_sent) {
  ExtenderFilterResult result;
  std::optional<std::vector<std::string>> nodes, names;
  std::string error;
  ResponseReader reader(extender, framework::ExtenderStep::kFilter, json);
  const auto read_names = [&](const Json& list, const std::string& path) {
    names.emplace();
    reader.ReadList(list, path, [&](const Json& name, const std::string& place) {
      names->push_back(reader.Text(name, place));
    });
  };
  const auto read_nodes = [&](const Json& list, const std::string& path) {
    ReadNodeList(reader, list, path, nodes.emplace());
  };
  const auto reasons_into = [&](ReasonByNode& out) {
    return [&](const Json& map, const std::string& path) { ReadReasons(reader, map, path, out); };
  };
  reader.RootFields({
      {"Nodes", read_nodes},
      {"NodeNames", read_names},
      {"FailedNodes", reasons_into(result.failed)},
      {"FailedAndUnresolvableNodes", reasons_into(result.failed_and_unresolvable)},
      reader.TextInto("Error", error),
  });
  if (!reader.ok()) return reader.Failure();
  if (!error.empty()) return Fail(error);

  if (extender.node_cache_capable && names) {
    result.nodes = *std::move(names);
  } else if (nodes) {
    result.nodes = *std::move(nodes);
  }
  for (const std::string& node : result.nodes) {
    if (was_sent(node)) continue;
    return Fail(fmt::format(
        "extender {} claims a filtered node {} which is not found in the input node list",
        api::JsonQuoted(extender.url_prefix), api::JsonQuoted(node)));
  }
  for (const auto& [node, reason] : result.failed_and_unresolvable) result.failed.erase(node);
  return result;
}

Result<std::vector<HostPriority>> DecodeHostPriorityList(const framework::ExtenderConfig& extender,
                                                         std::string_view json) {
  std::vector<HostPriority> priorities;
  ResponseReader reader(extender, framework::ExtenderStep::kPrioritize, json);
  reader.RootList([&](const Json& item, const std::string& place) {
    HostPriority& priority = priorities.emplace_back();
    if (item.is_null()) return;
    reader.ReadFields(
        item, place,
        {reader.TextInto("Host", priority.host), reader.IntegerInto("Score", priority.score)});
  });
  if (!reader.ok()) return reader.Failure();
  return priorities;
}

Status DecodeExtenderBindingResult(const framework::ExtenderConfig& extender,
                                   std::string_view json) {
  std::string error;
  ResponseReader reader(extender, framework::ExtenderStep::kBind, json);
  reader.RootFields({reader.TextInto("Error", error)});
  if (!reader.ok()) return reader.Failure();
  if (!error.empty()) return Fail(error);
  return {};
}

Result<MetaVictimsByNode> DecodeExtenderPreemptionResult(const framework::ExtenderConfig& extender,
                                                         std::string_view json) {
  MetaVictimsByNode victims;
  ResponseReader reader(extender, framework::ExtenderStep::kPreempt, json);
  const auto read_node = [&](std::string_view node, const Json& json_victims,
                             const std::string& place) {
    ReadMetaVictims(reader, json_victims, place, victims[std::string(node)]);
  };
  const auto read_nodes = [&](const Json& map, const std::string& path) {
    reader.ReadMap(map, path, read_node);
  };
  reader.RootFields({{"NodeNameToMetaVictims", read_nodes}});
  if (!reader.ok()) return reader.Failure();
  return victims;
}

}  // namespace berth::scheduler::engine
