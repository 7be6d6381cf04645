// HttpConnection connects an engine with an API server over HTTP: informers post what has changed
// to its mailbox, and writes go out on the thread of another event loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "net/executor.h"
#include "runtime/connection.h"
#include "runtime/event_writer.h"
#include "runtime/extender_calls.h"
#include "runtime/http_writer.h"

namespace berth::runtime {

class HttpConnection final : public Connection {
 public:
  // All must outlive the connection, and the writers live on the loop of `loop`.
  struct Writers {
    net::Executor& loop;
    HttpWriter& api;
    EventWriter& events;
    ExtenderCalls& extenders;
  };

  HttpConnection(std::shared_ptr<Mailbox> mailbox, Writers writers);

  bool Read(std::vector<scheduler::engine::Event>& events) override {
    return mailbox_->Take(events);
  }
  size_t capacity() const override;
  void Execute(scheduler::engine::Command command) override;
  bool DoIdleWork(bool) override { return false; }
  void Count(DriverSnapshot& snapshot) const override;

 private:
  // Shared with writes under way, whose ends may come when the connection is gone.
  struct Counts {
    std::atomic<size_t> under_way = 0;
    std::atomic<uint64_t> binds = 0, refused_binds = 0, evictions = 0;

    void Note(const scheduler::framework::ApiWrite& write,
              const scheduler::framework::WriteResult& result);
  };

  std::shared_ptr<Mailbox> mailbox_;
  Writers writers_;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace berth::runtime
