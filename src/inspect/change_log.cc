#include "inspect/change_log.h"

#include <utility>
#include <variant>

#include "api/object.h"
#include "base/overloaded.h"

namespace berth::inspect {

void ChangeLog::Open() {
  const std::lock_guard lock(mutex_);
  changes_ = {};
  open_ = true;
}

void ChangeLog::Close() {
  const std::lock_guard lock(mutex_);
  changes_ = {};
  open_ = false;
}

std::optional<ChangeLog::Changes> ChangeLog::Take() {
  const std::lock_guard lock(mutex_);
  if (!open_) return std::nullopt;
  return std::exchange(changes_, {});
}

template <typename Add>
void ChangeLog::Record(Add add) {
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  if (changes_.objects.size() + changes_.pods.size() < kMaxChanges) return add(changes_);
  changes_ = {};
  open_ = false;
}

void ChangeLog::OnEvent(const scheduler::engine::Event& event) {
  Count();
  // Without the mutex: nearly always nobody listens. The mirror opens the log before it visits the
  // engine's thread, so that no change is missed.
  if (!open_) return;
  const auto record = [this](const api::Object& object, api::ObjectChange change) {
    if (std::holds_alternative<api::Ref<api::Pod>>(object)) {
      Record([&](Changes& changes) { changes.pods.push_back(api::KeyOf(object)); });
    } else {
      Record([&](Changes& changes) { changes.objects.push_back(std::move(change)); });
    }
  };
  std::visit(Overloaded{[&](const api::ObjectPut& put) { record(put.object, put); },
                        [&](const api::ObjectDeleted& deleted) { record(deleted.object, deleted); },
                        [](const auto&) {}},
             event);
}

void ChangeLog::OnDecision(const scheduler::engine::Decision& decision) {
  Count();
  if (!open_) return;
  Record([&](Changes& changes) { changes.pods.push_back(decision.key); });
}

}  // namespace berth::inspect
