#include "daemon/api_connection.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "daemon/decision_log.h"

namespace berth::daemon {
namespace {

// Enough to keep a server busy over a slow line, and few enough that a bind does not wait long
// behind what went out before it.
constexpr size_t kMaxUnderWay = 64;

}  // namespace

ApiConnection::ApiConnection(std::shared_ptr<driver::Mailbox> mailbox, Writers writers)
    : mailbox_(std::move(mailbox)), writers_(writers) {}

size_t ApiConnection::room() const {
  const size_t under_way = counts_->under_way;
  return kMaxUnderWay - std::min(kMaxUnderWay, under_way);
}

void ApiConnection::Carry(Command command) {
  if (auto* event = std::get_if<RecordEvent>(&command.write)) {
    writers_.loop.Post([events = &writers_.events, event = std::move(*event)]() mutable {
      events->Add(std::move(event));
    });
    // Nobody waits for an event.
    return mailbox_->Post(WriteDone{command.id, {}});
  }
  if (const auto* call = std::get_if<CallExtender>(&command.write)) {
    return writers_.extenders.Carry(*call,
                                    [mailbox = mailbox_, id = command.id](WriteResult result) {
                                      mailbox->Post(WriteDone{id, std::move(result)});
                                    });
  }
  ++counts_->under_way;
  writers_.loop.Post([api = &writers_.api, mailbox = mailbox_, counts = counts_,
                      command = std::move(command)]() mutable {
    auto shared = std::make_shared<const Command>(std::move(command));
    api->Carry(shared->write, [mailbox, counts, shared](WriteResult result) {
      counts->Note(shared->write, result);
      LogEndOfWrite(shared->write, result);
      --counts->under_way;
      mailbox->Post(WriteDone{shared->id, std::move(result)});
    });
  });
}

void ApiConnection::Counts::Note(const ApiWrite& write, const WriteResult& result) {
  if (std::holds_alternative<BindPod>(write)) ++(result.ok() ? binds : refused_binds);
  evictions += std::holds_alternative<DeletePod>(write) && result.ok();
}

void ApiConnection::Count(driver::DriverSnapshot& snapshot) const {
  snapshot.binds = counts_->binds;
  snapshot.refused_binds = counts_->refused_binds;
  snapshot.evictions = counts_->evictions;
}

}  // namespace berth::daemon
