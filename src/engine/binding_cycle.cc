#include "engine/binding_cycle.h"

#include <fmt/format.h>

namespace berth {
namespace {

Verdict AsFailure(Verdict verdict, std::string_view step, const Plugin& plugin) {
  if (verdict.rejected()) return std::move(verdict).By(plugin.name());
  return Verdict::Error(
      fmt::format("running {} plugin \"{}\": {}", step, plugin.name(), verdict.Message()));
}

}  // namespace

BindingCycle::BindingCycle(std::unique_ptr<const PodRecord> pod,
                           std::shared_ptr<ClassResults> results, std::unique_ptr<Attempt> attempt,
                           NodeRow node, Outbox& outbox, std::vector<BindingCycle*>& finished)
    : pod_(std::move(pod)),
      results_(std::move(results)),
      attempt_(std::move(attempt)),
      node_(node),
      outbox_(outbox),
      finished_(finished),
      task_(Run()) {}

Task<Verdict> BindingCycle::Run() {
  Verdict verdict = co_await PreBind();
  if (verdict.ok()) verdict = co_await Bind();
  if (verdict.ok()) {
    for (const PostBindPlugin* plugin : profile().post_bind()) plugin->PostBind(*this);
  }
  finished_.push_back(this);
  co_return verdict;
}

Task<Verdict> BindingCycle::PreBind() {
  for (const PreBindPlugin* plugin : profile().pre_bind()) {
    const PreBindPlan plan = plugin->PreBindPreFlight(cycle(), node_);
    if (plan.verdict.skipped()) continue;
    if (!plan.verdict.ok()) {
      co_return Verdict::Error(fmt::format("running PreBindPreFlight \"{}\": {}", plugin->name(),
                                           plan.verdict.Message()));
    }
    Verdict verdict = co_await plugin->PreBind(*this);
    if (!verdict.ok()) co_return AsFailure(std::move(verdict), "PreBind", *plugin);
  }
  co_return Verdict();
}

Task<Verdict> BindingCycle::Bind() {
  for (const BindPlugin* plugin : profile().bind()) {
    Verdict verdict = co_await plugin->Bind(*this);
    if (verdict.skipped()) continue;
    if (verdict.ok()) co_return verdict;
    co_return AsFailure(std::move(verdict), "Bind", *plugin);
  }
  co_return Verdict::Error("no Bind plugin wanted the pod");
}

}  // namespace berth
