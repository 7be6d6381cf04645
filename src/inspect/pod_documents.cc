#include "inspect/pod_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "base/text.h"
#include "explain/pod_explanation_json.h"
#include "inspect/documents.h"
#include "scheduler/framework/profile.h"
#include "scheduler/model/cluster.h"

namespace berth::inspect {
namespace {

using api::JsonArray;
using api::JsonObject;
using scheduler::engine::Explanation;

// The fixes of a pod that needs none.
JsonObject NoFixes() { return {{"complete", true}, {"decisions", 0}, {"list", JsonArray()}}; }

// MatrixColumns collects the columns of PodMatrix, node by node.
class MatrixColumns {
 public:
  MatrixColumns(const Explanation& explanation, const scheduler::framework::Profile& profile)
      : explanation_(explanation) {
    for (const auto* plugin : profile.filter()) plugins_.emplace_back(plugin->name());
    scores_.resize(explanation.scoring_plugins.size());
  }

  void Add(const std::string& node) {
    nodes_.emplace_back(node);
    const auto found = explanation_.nodes.find(node);
    // A pod that PreFilter rejects is evaluated on no node.
    const auto& verdict =
        found == explanation_.nodes.end() ? explanation_.pre_filter : found->second.verdict;
    const bool fits = found != explanation_.nodes.end() && verdict.ok();
    rejected_by_.emplace_back(fits ? -1 : NumberOf(plugins_, verdict.plugin()));
    reason_.emplace_back(fits ? -1 : NumberOf(reasons_, verdict.Message()));
    for (size_t i = 0; i < scores_.size(); ++i) {
      if (!fits) {
        scores_[i].emplace_back(nullptr);
        continue;
      }
      const auto& scores = found->second.scores;
      const auto score = scores.find(explanation_.scoring_plugins[i]);
      scores_[i].emplace_back(score == scores.end() ? 0 : score->second);
    }
    if (fits) {
      totals_.emplace_back(found->second.total);
    } else {
      totals_.emplace_back(nullptr);
    }
  }

  void MoveTo(JsonObject& json) && {
    json.emplace("plugins", TextsJson(plugins_));
    json.emplace("reasons", TextsJson(reasons_));
    json.emplace("nodes", std::move(nodes_));
    json.emplace("rejectedBy", std::move(rejected_by_));
    json.emplace("reason", std::move(reason_));
    JsonObject& scores = json["scores"].emplace_object();
    for (size_t i = 0; i < scores_.size(); ++i) {
      scores.emplace(explanation_.scoring_plugins[i], std::move(scores_[i]));
    }
    json.emplace("totals", std::move(totals_));
  }

 private:
  // Returns the place of the text in the list, to which it is added if it is new.
  static int64_t NumberOf(std::vector<std::string>& list, const std::string& text) {
    const auto found = std::ranges::find(list, text);
    const auto place = found - list.begin();
    if (found == list.end()) list.push_back(text);
    return place;
  }

  const Explanation& explanation_;
  std::vector<std::string> plugins_, reasons_;
  JsonArray nodes_, rejected_by_, reason_, totals_;
  std::vector<JsonArray> scores_;
};

}  // namespace

Response PodNotFound(const api::ObjectKey& key) {
  return Failure(404, fmt::format("pods \"{}\" not found in namespace \"{}\"", Shorten(key.name),
                                  Shorten(key.namespace_)));
}

api::Ref<api::Pod> PodDocuments::Find(const api::ObjectKey& key) const {
  const scheduler::model::Cluster& cluster = mirror_.engine().cluster();
  const auto id = cluster.pods().Find(key.namespace_, key.name);
  return id.valid() ? cluster.pod(id).object : nullptr;
}

Response PodDocuments::Explain(const api::ObjectKey& key, const PodRow* row, Instant now) {
  const api::Ref<api::Pod> pod = Find(key);
  if (pod == nullptr) return PodNotFound(key);
  auto explanation = explain::ExplainPod(mirror_.engine(), pod, profile(), now, {.fixes = false});
  if (!explanation) return Failure(500, explanation.error().message);
  const bool assumed = row != nullptr && !row->node.empty();
  if (assumed && !row->permit.empty()) {
    // Its scheduler has decided about it, and waits.
    explanation->state = explain::PodState::kWaiting;
    explanation->permit = row->permit;
    explanation->decision.reset();
    explanation->placement.reset();
  } else if (assumed) {
    explanation->notes.push_back("the pod is being bound: the API does not show its node yet");
  }
  return Document(explain::ToJson(*explanation));
}

Response PodDocuments::Fixes(const api::ObjectKey& key, Instant now) {
  const api::Ref<api::Pod> pod = Find(key);
  if (pod == nullptr) return PodNotFound(key);
  auto explanation = explain::ExplainPod(mirror_.engine(), pod, profile(), now, {.fixes = true});
  if (!explanation) return Failure(500, explanation.error().message);
  JsonObject json = StartDocument("PodFixes");
  json.emplace("pod", PodNameJson(pod->metadata));
  const std::string revision = fmt::format("{}", ++last_number_);
  json.emplace("revision", revision);
  JsonObject document = explain::ToJson(*explanation);
  if (api::Json* fixes = document.if_contains("fixes")) {
    json.emplace("fixes", std::move(*fixes));
  } else {
    json.emplace("fixes", NoFixes());
  }
  fixes_.push_front({key, pod->metadata.uid, revision,
                     explanation->fixes ? *std::move(explanation->fixes) : explain::FixReport()});
  if (fixes_.size() > kMaxFixes) fixes_.pop_back();
  return Document(json);
}

Response PodDocuments::Try(const api::ObjectKey& key, std::string_view number,
                           std::string_view revision, Instant now) {
  const api::Ref<api::Pod> pod = Find(key);
  if (pod == nullptr) return PodNotFound(key);
  const auto found = std::ranges::find_if(fixes_, [&](const FoundFixes& fixes) {
    return fixes.pod == key && fixes.revision == revision && fixes.uid == pod->metadata.uid;
  });
  if (found == fixes_.end()) {
    return Failure(409, "these fixes are not known any more: ask for the pod's fixes again");
  }
  size_t index = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), index);
  if (error != std::errc() || end != number.data() + number.size() || index == 0 ||
      index > found->report.fixes.size()) {
    return Failure(404, fmt::format("fix \"{}\" not found: there are {}", Shorten(number),
                                    found->report.fixes.size()));
  }
  const auto explanation = explain::ExplainWithFix(mirror_.engine(), pod,
                                                   found->report.fixes[index - 1], profile(), now);
  if (!explanation) return Failure(500, explanation.error().message);
  return Document(explain::ToJson(*explanation));
}

Response PodDocuments::Matrix(const api::ObjectKey& key, const NodeList& nodes,
                              const Request& request, Instant now) {
  constexpr size_t kMaxNodes = 5'000;
  // A page continues with the account of the page before.
  auto account = std::ranges::find_if(accounts_, [&](const Account& known) {
    return known.pod == key && known.generation == nodes.generation();
  });
  const bool continues = !request.Get("continue").empty();
  const auto page = ReadPage(request, kMaxNodes, account == accounts_.end() ? 0 : account->number);
  if (!page) return page.error();
  if (continues && account == accounts_.end()) return Expired();
  if (!continues) {
    const api::Ref<api::Pod> pod = Find(key);
    if (pod == nullptr) return PodNotFound(key);
    auto explanation = explain::DecideAgain(mirror_.engine(), *pod, profile(), now);
    if (!explanation) return Failure(500, explanation.error().message);
    std::erase_if(accounts_, [&](const Account& known) { return known.pod == key; });
    accounts_.push_front({key, ++last_number_, nodes.generation(), *std::move(explanation),
                          pod->spec.scheduler_name});
    if (accounts_.size() > kMaxMatrices) accounts_.pop_back();
    account = accounts_.begin();
  }
  const scheduler::model::Cluster& cluster = mirror_.engine().cluster();
  const scheduler::framework::Profile& profile = profiles_.Find(account->scheduler_name);
  const size_t total = nodes.rows().size();
  const size_t first = std::min(page->first, total);
  const size_t end = std::min(total, first + page->limit);
  MatrixColumns columns(account->explanation, profile);
  for (size_t i = first; i < end; ++i) columns.Add(cluster.nodes().name(nodes.rows()[i]));
  JsonObject json = StartDocument("PodMatrix");
  json.emplace("total", total);
  json.emplace("feasible", std::ranges::count_if(account->explanation.nodes, [](const auto& node) {
                 return node.second.verdict.ok();
               }));
  JsonObject& weights = json["weights"].emplace_object();
  for (const auto& scorer : profile.score()) weights.emplace(scorer.plugin->name(), scorer.weight);
  std::move(columns).MoveTo(json);
  if (end < total) json.emplace("continue", ContinueToken(account->number, end));
  return Document(json);
}

}  // namespace berth::inspect
