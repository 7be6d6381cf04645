#include "inspect/group_sentences.h"

#include <fmt/format.h>

#include "explain/pod_explanation.h"

namespace berth::inspect {

void GroupSentences::Begin(Instant now) {
  now_ = now;
  left_ = kPerRequest;
  std::erase_if(known_, [&](const auto& entry) {
    return now - entry.second.asked > kMaxAge + kMaxAge || now < entry.second.asked;
  });
}

std::string GroupSentences::Of(const PodRow& oldest) {
  // It has been decided about, and waits for plugins or its binding.
  if (!oldest.permit.empty() || !oldest.node.empty()) return "";
  const std::string& uid = oldest.pod->metadata.uid;
  const std::string key =
      fmt::format("{} {} {}", ToString(*oldest.queue), oldest.group, oldest.message());
  Known& known = known_[key];
  known.asked = now_;
  const bool current = known.uid == uid && now_ - known.found < kMaxAge;
  if (current || left_ == 0) return known.sentence;
  --left_;
  const auto explanation =
      explain::ExplainPod(mirror_.engine(), oldest.pod, profiles_.scheduler_names().front(), now_,
                          {.fixes = false, .brief = true});
  known.uid = uid;
  known.found = now_;
  known.sentence = explanation ? explanation->sentence.text : "";
  return known.sentence;
}

}  // namespace berth::inspect
