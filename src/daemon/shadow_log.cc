#include "daemon/shadow_log.h"

#include <fmt/format.h>

#include "daemon/log.h"

namespace berth::daemon {

void LogJudgement(const driver::Judgement& judgement, Duration took) {
  if (judgement.agrees) {
    LOG_V(3, "Shadow agrees",
          {{"pod", judgement.pod.ToString()},
           {"decision", driver::ToString(judgement.kind)},
           {"node", judgement.node},
           {"took", took}});
    return;
  }
  LOG_INFO("Shadow differs", {{"pod", judgement.pod.ToString()},
                              {"decision", driver::ToString(judgement.kind)},
                              {"node", judgement.node},
                              {"ownChoice", judgement.own_choice},
                              {"why", judgement.difference},
                              {"took", took}});
}

void LogSummary(uint64_t judged, uint64_t agreed) {
  LOG_INFO("Shadow mode ends",
           {{"judged", judged},
            {"agreed", agreed},
            {"agreement", judged == 0 ? std::string("none")
                                      : fmt::format("{:.2f}%", 100.0 * static_cast<double>(agreed) /
                                                                   static_cast<double>(judged))}});
}

}  // namespace berth::daemon
