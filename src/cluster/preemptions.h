// Preemptions knows the pods for which victims are being evicted right now: they must not be tried
// before the last victim is on its way, or the wake-up that its end gives would be lost on them.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/meta.h"

namespace berth {

class Preemptions {
 public:
  struct Victim {
    api::ObjectKey pod;
    std::string uid;
  };

  void Begin(const std::string& preemptor_uid) { under_way_[preemptor_uid]; }
  // The last victim's turn has come.
  void LastVictim(const std::string& preemptor_uid, api::ObjectKey pod, std::string uid) {
    under_way_[preemptor_uid] = Victim{std::move(pod), std::move(uid)};
  }
  void End(const std::string& preemptor_uid) { under_way_.erase(preemptor_uid); }

  bool UnderWay(const std::string& preemptor_uid) const {
    return under_way_.contains(preemptor_uid);
  }
  // The last victim, once its turn has come.
  const Victim* LastVictimOf(const std::string& preemptor_uid) const {
    auto found = under_way_.find(preemptor_uid);
    return found != under_way_.end() && found->second ? &*found->second : nullptr;
  }

 private:
  std::map<std::string, std::optional<Victim>> under_way_;
};

}  // namespace berth
