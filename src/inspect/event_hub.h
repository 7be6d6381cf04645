// EventHub sends events to the clients that follow /berth/v1/events: once a second, to all.
//
// It has a thread of its own. A client that reads too slowly is given up; it may come back.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "inspect/inspector.h"
#include "inspect/request.h"
#include "ledger/ledger.h"

namespace berth::inspect {

// EventStream is what one client has not read yet. Any thread.
class EventStream {
 public:
  // A client that is this far behind is given up: some seconds of a large cluster.
  static constexpr size_t kMaxUnread = size_t{4} << 20;

  // `wake` is called, on any thread, when there is something to read.
  explicit EventStream(std::function<void()> wake) : wake_(std::move(wake)) {}

  // Returns what there is to read, up to `limit` bytes, as text/event-stream.
  std::string Take(size_t limit);
  // Reports whether there will be no more.
  bool ended() const;

 private:
  friend class EventHub;
  void Send(std::string_view text);
  void End();

  const std::function<void()> wake_;
  mutable std::mutex mutex_;  // Guards the members below.
  std::string unread_;
  bool ended_ = false;
};

class EventHub {
 public:
  // Each costs the work of a request per second.
  static constexpr size_t kMaxStreams = 64;
  // Attempts in one event.
  static constexpr size_t kMaxAttempts = 20;

  // `inspector` must outlive this.
  explicit EventHub(Inspector& inspector);
  ~EventHub();  // Ends all streams.

  // Starts a stream of the topics that the request names. `last_event` is the id of the last event
  // that the client has seen, if it was connected before. The failure is for topics that do not
  // exist, or if there are too many clients.
  std::expected<std::shared_ptr<EventStream>, Response> Follow(const Request& request,
                                                               std::optional<uint64_t> last_event,
                                                               std::function<void()> wake);

 private:
  struct Topics {
    bool activity = false, queue = false, attempt = false, nodes = false;
  };
  struct Client {
    Topics topics;
    std::weak_ptr<EventStream> stream;
    Inspector::Position position;
  };

  void Run();
  // Sends what is new to all clients. Returns false if there are none.
  bool Tick();
  void EndStreams();
  void SendNodes(std::vector<std::shared_ptr<Client>>& clients);
  std::string QueueText();
  std::string AttemptText();
  std::string ActivityText();

  Inspector& inspector_;
  // Used by the thread alone.
  ledger::LedgerCursor cursor_;
  Instant last_activity_;
  uint64_t ticks_ = 0;
  bool followed_ = false;  // There were clients at the last tick.

  std::mutex mutex_;  // Guards the members below.
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Client>> clients_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace berth::inspect
