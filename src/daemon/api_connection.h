// ApiConnection connects an engine with an API server over HTTP: informers post what has changed to
// its mailbox, and writes go out on the thread of another event loop.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "client/api_writer.h"
#include "client/event_writer.h"
#include "client/timers.h"
#include "driver/connection.h"
#include "driver/mailbox.h"
#include "net/extender_calls.h"

namespace berth::daemon {

class ApiConnection final : public driver::Connection {
 public:
  // All must outlive the connection, and the writers live on the loop of `loop`.
  struct Writers {
    client::Timers& loop;
    client::ApiWriter& api;
    client::EventWriter& events;
    net::ExtenderCalls& extenders;
  };

  ApiConnection(std::shared_ptr<driver::Mailbox> mailbox, Writers writers);

  bool Read(std::vector<Event>& events) override { return mailbox_->Take(events); }
  size_t room() const override;
  void Carry(Command command) override;
  bool DoSpareWork(bool) override { return false; }
  void Count(driver::DriverSnapshot& snapshot) const override;

 private:
  // Shared with writes under way, whose ends may come when the connection is gone.
  struct Counts {
    std::atomic<size_t> under_way = 0;
    std::atomic<uint64_t> binds = 0, refused_binds = 0, evictions = 0;

    void Note(const ApiWrite& write, const WriteResult& result);
  };

  std::shared_ptr<driver::Mailbox> mailbox_;
  Writers writers_;
  std::shared_ptr<Counts> counts_ = std::make_shared<Counts>();
};

}  // namespace berth::daemon
