// CreationTimes tells when a version of the store was made, as exactly as a reader can know: by
// what was the newest version at which time.
//
// The API's own creation timestamps have whole seconds.
#pragma once

#include <deque>

#include "base/time.h"
#include "store/object.h"

namespace berth::world {

class CreationTimes {
 public:
  // Versions beyond `newest` were made at `now` or later. Neither may fall.
  void Note(store::Version newest, Instant now) {
    if (!marks_.empty() && marks_.back().newest == newest) {
      marks_.back().at = now;
    } else {
      marks_.push_back({newest, now});
    }
  }
  // Nobody has made a version that matters since the last Note, but at `now` somebody did.
  void Slept(Instant now) {
    if (!marks_.empty()) marks_.back().at = now;
  }

  // The time from which on the version may have been made. Earlier versions are not asked for any
  // more.
  Instant Of(store::Version version) {
    while (marks_.size() > 1 && marks_[1].newest < version) marks_.pop_front();
    return marks_.empty() ? Instant{} : marks_.front().at;
  }

 private:
  struct Mark {
    store::Version newest;
    Instant at;
  };
  std::deque<Mark> marks_;
};

}  // namespace berth::world
