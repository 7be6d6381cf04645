#include "apiserver/crd/validation_work.h"

#include <limits>

namespace berth::apiserver::crd {
namespace {

thread_local ValidationWork* current = nullptr;

}  // namespace

ValidationWork::ValidationWork(uint64_t limit, const std::atomic<bool>* cancelled)
    : left_(limit), cancelled_(cancelled), outer_(current) {
  current = this;
}

ValidationWork::~ValidationWork() { current = outer_; }

uint64_t ValidationWork::Left() {
  return current != nullptr ? current->left_ : std::numeric_limits<uint64_t>::max();
}

bool ValidationWork::Charge(uint64_t units) {
  if (current == nullptr) return true;
  ValidationWork& work = *current;
  if (work.exceeded_) return false;
  const bool cancelled = work.cancelled_ != nullptr && *work.cancelled_;
  if (cancelled || units > work.left_) {
    work.exceeded_ = true;
    return false;
  }
  work.left_ -= units;
  return true;
}

}  // namespace berth::apiserver::crd
