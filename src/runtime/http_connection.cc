#include "runtime/http_connection.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "observability/scheduling/decision_log.h"

namespace berth::runtime {
namespace {

// Enough to keep a server busy over a slow line, and few enough that a bind does not wait long
// behind what went out before it.
constexpr size_t kMaxUnderWay = 64;

}  // namespace

HttpConnection::HttpConnection(std::shared_ptr<Mailbox> mailbox, Writers writers)
    : mailbox_(std::move(mailbox)), writers_(writers) {}

size_t HttpConnection::capacity() const {
  const size_t under_way = counts_->under_way;
  return kMaxUnderWay - std::min(kMaxUnderWay, under_way);
}

void HttpConnection::Execute(scheduler::engine::Command command) {
  if (auto* event = std::get_if<scheduler::framework::RecordEvent>(&command.write)) {
    writers_.loop.Post([events = &writers_.events, event = std::move(*event)]() mutable {
      events->Add(std::move(event));
    });
    // Nobody waits for an event.
    return mailbox_->Post(scheduler::engine::WriteDone{command.id, {}});
  }
  if (const auto* call = std::get_if<scheduler::framework::CallExtender>(&command.write)) {
    return writers_.extenders.Execute(
        *call, [mailbox = mailbox_, id = command.id](scheduler::framework::WriteResult result) {
          mailbox->Post(scheduler::engine::WriteDone{id, std::move(result)});
        });
  }
  ++counts_->under_way;
  writers_.loop.Post([api = &writers_.api, mailbox = mailbox_, counts = counts_,
                      command = std::move(command)]() mutable {
    auto shared = std::make_shared<const scheduler::engine::Command>(std::move(command));
    api->Execute(shared->write,
                 [mailbox, counts, shared](scheduler::framework::WriteResult result) {
                   counts->Note(shared->write, result);
                   observability::scheduling::LogWriteResult(shared->write, result);
                   --counts->under_way;
                   mailbox->Post(scheduler::engine::WriteDone{shared->id, std::move(result)});
                 });
  });
}

void HttpConnection::Counts::Note(const scheduler::framework::ApiWrite& write,
                                  const scheduler::framework::WriteResult& result) {
  if (std::holds_alternative<scheduler::framework::BindPod>(write))
    ++(result.ok() ? binds : refused_binds);
  evictions += std::holds_alternative<scheduler::framework::DeletePod>(write) && result.ok();
}

void HttpConnection::Count(DriverSnapshot& snapshot) const {
  snapshot.binds = counts_->binds;
  snapshot.refused_binds = counts_->refused_binds;
  snapshot.evictions = counts_->evictions;
}

}  // namespace berth::runtime
