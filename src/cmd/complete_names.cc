#include "cmd/complete_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/yaml.h"
#include "api/scheme/scheme.h"
#include "client/escaping.h"
#include "client/kubeconfig.h"
#include "client/rest_client.h"
#include "cmd/live_cluster.h"
#include "cmd/object_files.h"
#include "cmd/why_subject.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::cmd {
namespace {

using api::AsObject;
using api::StringAt;
using flags::Completer;
using flags::Completions;

constexpr std::chrono::seconds kPatience{2};
// Of a live cluster: kubectl's pages, and no more objects than any shell shows.
constexpr int kNamesPerPage = 500;
constexpr size_t kMaxNames = 5'000;
constexpr uintmax_t kMaxReadBytes = 64 << 20;
// Names alone, from servers that can select them.
constexpr const char* kMetadataOnly =
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

// Where to read, by value: the reading goes on in a thread that may be left behind.
struct Question {
  std::vector<std::string> files;
  std::string kubeconfig;
  std::string context;
  std::string namespace_;  // Empty: that of the context.
  bool all_namespaces = false;
  const api::scheme::Kind* kind = nullptr;
};

struct Answer {
  std::string default_namespace = "default";
  std::vector<api::ObjectKey> names;  // In the order of the server or the files.
};

Question Ask(const NameSource& source, const api::scheme::Kind& kind) {
  Question question;
  if (source.files != nullptr) question.files = *source.files;
  if (source.kubeconfig != nullptr) question.kubeconfig = *source.kubeconfig;
  if (source.context != nullptr) question.context = *source.context;
  if (source.namespace_ != nullptr) question.namespace_ = *source.namespace_;
  question.kind = &kind;
  return question;
}

// --- files ---

void AddNames(const api::JsonObject* object, const api::scheme::Kind& kind, Answer& answer) {
  if (const api::JsonArray* items = api::ArrayAt(object, "items")) {
    for (const api::Json& item : *items) AddNames(AsObject(item), kind, answer);
    return;
  }
  if (StringAt(object, "kind") != kind.kind) return;
  const api::JsonObject* metadata = api::ObjectAt(object, "metadata");
  std::string namespace_(StringAt(metadata, "namespace"));
  if (namespace_.empty() && kind.namespaced) namespace_ = "default";
  answer.names.emplace_back(std::move(namespace_), std::string(StringAt(metadata, "name")));
}

void ReadFile(const std::string& path, const api::scheme::Kind& kind, Answer& answer) {
  std::error_code error;
  // Pipes and devices would be used up, and standard input belongs to the shell.
  if (!std::filesystem::is_regular_file(path, error) ||
      std::filesystem::file_size(path, error) > kMaxReadBytes) {
    return;
  }
  const auto text = ReadText(path);
  if (!text) return;
  (void)api::ForEachDocument(*text, [&](const api::DocumentText& document) -> Status {
    const auto parsed = api::ParseJson(document.json);
    if (parsed) AddNames(AsObject(*parsed), kind, answer);
    return {};
  });
}

Answer ReadFiles(const Question& question) {
  Answer answer;
  for (const std::string& path : question.files) {
    const auto files = ObjectFilesIn(path);
    if (!files) continue;
    for (const std::string& file : *files) ReadFile(file, *question.kind, answer);
  }
  return answer;
}

// --- a live cluster ---

std::string PathOf(const api::scheme::Kind& kind, const std::string& namespace_) {
  std::string path = kind.group.empty() ? "/api" : fmt::format("/apis/{}", kind.group);
  path += fmt::format("/{}", kind.version);
  if (!namespace_.empty()) path += "/namespaces/" + client::QueryEscape(namespace_);
  return fmt::format("{}/{}?limit={}", path, kind.resource, kNamesPerPage);
}

Answer ReadCluster(const Question& question) {
  Answer answer;
  const std::string file = question.kubeconfig.empty() ? DefaultKubeconfig() : question.kubeconfig;
  const auto cluster = LiveCluster::Make(file, question.context);
  if (!cluster) return answer;
  answer.default_namespace =
      question.namespace_.empty() ? (*cluster)->default_namespace() : question.namespace_;
  const bool one = question.kind->namespaced && !question.all_namespaces;
  client::RestRequest request;
  request.accept = kMetadataOnly;
  request.timeout = Duration::Seconds(kPatience.count());
  const std::string path = PathOf(*question.kind, one ? answer.default_namespace : "");
  request.path = path;
  do {
    const auto response = client::SendAndWait((*cluster)->client(), request);
    if (!response || !response->ok()) break;
    const auto parsed = api::ParseJson(response->body);
    const api::JsonObject* list = parsed ? AsObject(*parsed) : nullptr;
    const api::JsonArray* items = api::ArrayAt(list, "items");
    if (items == nullptr) break;
    for (const api::Json& item : *items) {
      const api::JsonObject* metadata = api::ObjectAt(AsObject(item), "metadata");
      answer.names.emplace_back(std::string(StringAt(metadata, "namespace")),
                                std::string(StringAt(metadata, "name")));
    }
    const std::string_view next = StringAt(api::ObjectAt(list, "metadata"), "continue");
    if (next.empty()) break;
    request.path = fmt::format("{}&continue={}", path, client::QueryEscape(next));
  } while (answer.names.size() < kMaxNames);
  return answer;
}

// Reads in a thread that is left behind when it takes too long: the process ends anyway.
Answer ReadInTime(Question question) {
  const auto promise = std::make_shared<std::promise<Answer>>();
  auto answer = promise->get_future();
  std::thread([promise, question = std::move(question)] {
    promise->set_value(question.files.empty() ? ReadCluster(question) : ReadFiles(question));
  }).detach();
  if (answer.wait_for(kPatience) != std::future_status::ready) return {};
  return answer.get();
}

Completer NamesOf(NameSource source, std::string_view resource) {
  const api::scheme::Kind& kind = api::scheme::KindOf(resource);
  return [source, &kind](const std::string&) {
    Completions completions;
    for (const api::ObjectKey& key : ReadInTime(Ask(source, kind)).names) {
      completions.candidates.push_back({key.name});
    }
    return completions;
  };
}

}  // namespace

Completer NodeNames(NameSource source) { return NamesOf(source, "nodes"); }

Completer NamespaceNames(NameSource source) { return NamesOf(source, "namespaces"); }

Completer QualifiedPodNames(NameSource source) {
  return [source](const std::string&) {
    Question question = Ask(source, api::scheme::KindOf("pods"));
    question.all_namespaces = true;
    const Answer answer = ReadInTime(std::move(question));
    Completions completions;
    for (const api::ObjectKey& key : answer.names) {
      if (key.namespace_ == "default") completions.candidates.push_back({key.name});
      completions.candidates.push_back({key.ToString()});
    }
    return completions;
  };
}

Completer WhySubjects(NameSource source) {
  return [source](const std::string& typed) {
    Completions completions;
    const size_t slash = typed.find('/');
    const std::string kind_name = slash == typed.npos ? "" : typed.substr(0, slash + 1);
    if (kind_name.empty()) {
      for (const std::string& kind : WhySubjectKinds()) {
        completions.candidates.push_back({kind + "/"});
      }
    }
    // Any name does to find the kind.
    const auto subject = ParseWhySubject(kind_name + "name");
    if (!subject) return completions;
    const api::scheme::Kind* kind =
        api::scheme::FindKindByName(subject->api_version, subject->kind);
    if (kind == nullptr) return completions;
    const Answer answer = ReadInTime(Ask(source, *kind));
    const std::string& wanted = source.namespace_ != nullptr && !source.namespace_->empty()
                                    ? *source.namespace_
                                    : answer.default_namespace;
    for (const api::ObjectKey& key : answer.names) {
      if (key.namespace_ == wanted) completions.candidates.push_back({kind_name + key.name});
    }
    return completions;
  };
}

Completer ContextNames(NameSource source) {
  return [source](const std::string&) {
    Completions completions;
    const bool given = source.kubeconfig != nullptr && !source.kubeconfig->empty();
    const std::string file = given ? *source.kubeconfig : DefaultKubeconfig();
    const auto text = file.empty() ? Result<std::string>(Fail("none")) : ReadText(file);
    const auto config = text ? client::ParseKubeconfig(*text, file) : Fail("unreadable");
    if (!config) return completions;
    for (const client::KubeContext& context : config->contexts) {
      completions.candidates.push_back({context.name, "cluster " + context.cluster});
    }
    return completions;
  };
}

Completer PluginNames() {
  return flags::ListOf([](const std::string&) {
    Completions completions;
    for (const auto& plugin : scheduler::plugins::DefaultPlugins().enabled) {
      completions.candidates.push_back({plugin.name});
    }
    return completions;
  });
}

}  // namespace berth::cmd
