#include "scheduler/model/pod_labels.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler::model {
namespace {

LabelMatcher Compile(const std::optional<api::LabelSelector>& selector, SymbolHolder& symbols) {
  auto compiled = api::Selector::FromLabelSelector(selector);
  return LabelMatcher(compiled ? *compiled : api::Selector::Nothing(), symbols);
}

}  // namespace

LabelSetId PodLabelsTable::Acquire(const api::ObjectMeta& pod) {
  const Symbol namespace_ = scratch_.Intern(pod.namespace_);
  const LabelSetId id = table_.Acquire({namespace_, InternLabels(pod.labels, scratch_)});
  if (table_.holders(id) == 1) {
    while (held_.size() <= id.index()) held_.emplace_back(symbols_);
    std::swap(held_[id.index()], scratch_);
    by_label_.Add(id, namespace_, table_.Get(id).labels);
  }
  scratch_.Clear();
  return id;
}

PodMatcher::PodMatcher(Symbol namespace_, LabelMatcher labels)
    : namespaces_{namespace_}, labels_(std::move(labels)) {}

PodMatcher::PodMatcher(const api::PodAffinityTerm& term, const std::string& owner_namespace,
                       SymbolHolder& symbols)
    : labels_(Compile(term.label_selector, symbols)) {
  for (const std::string& name : term.namespaces) namespaces_.push_back(symbols.Intern(name));
  if (term.namespace_selector) namespace_selector_ = Compile(term.namespace_selector, symbols);
  if (term.is_about_own_namespace()) namespaces_.push_back(symbols.Intern(owner_namespace));
  std::ranges::sort(namespaces_);
}

void PodMatcher::HoldBy(SymbolHolder& symbols) const {
  for (Symbol name : namespaces_) symbols.Hold(name);
  if (namespace_selector_) namespace_selector_->HoldBy(symbols);
  labels_.HoldBy(symbols);
}

void PodMatcher::MixInto(HashMixer& mixer) const {
  for (Symbol name : namespaces_) mixer.Add(name.value);
  if (namespace_selector_) namespace_selector_->MixInto(mixer);
  labels_.MixInto(mixer);
}

bool PodMatcher::Matches(Symbol namespace_, LabelSpan namespace_labels, LabelSpan labels,
                         const SymbolTable& symbols) const {
  const bool in_namespace =
      std::ranges::binary_search(namespaces_, namespace_) ||
      (namespace_selector_ && namespace_selector_->Matches(namespace_labels, symbols));
  return in_namespace && labels_.Matches(labels, symbols);
}

bool PodMatcher::MatchesForIncoming(Symbol namespace_, LabelSpan namespace_labels, LabelSpan labels,
                                    const SymbolTable& symbols) const {
  return Matches(namespace_, namespace_labels, labels, symbols) ||
         (namespace_selector_ && namespace_selector_->Matches({}, symbols) &&
          labels_.Matches(labels, symbols));
}

}  // namespace berth::scheduler::model
