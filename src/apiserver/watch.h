// WatchSource is the body of a watch response: optionally the initial state, then every change of
// the collection that the client's selector matches, until the timeout.
//
// An event is the stored object between two literals, so all watchers share the memory. A watch
// that falls behind the store's history ends with ERROR 410, also while it sends the initial state.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/responses.h"
#include "apiserver/selectors.h"
#include "apiserver/store/store.h"
#include "base/time.h"
#include "net/http_server.h"

namespace berth::apiserver {

struct WatchPlan {
  ObjectForm form;
  std::string namespace_;  // Empty: all namespaces.
  ObjectSelector selector;
  // The initial state is sent as ADDED before all changes: its first part, and whether there is
  // more, which is read from the store at version `from`.
  std::vector<store::ObjectPtr> initial;
  bool more_initial = false;
  bool initial_end_bookmark = false;  // Send a bookmark after the initial state.
  store::Version from = 0;            // Send changes after this version.
  store::Version visible = 0;         // Must be visible before anything is sent.
  bool bookmarks = false;
  std::optional<Duration> timeout;
  std::shared_ptr<void> lease;  // Counts the watch as open until it is destroyed.
};

class WatchSource final : public net::BodySource {
 public:
  // The interval of bookmarks, if the client requests them.
  static constexpr Duration kBookmarkEvery = Duration::Seconds(60);

  // Wakes `exchange`, which must not own the source, when there is more to send. `store` and
  // `clock`, which must be a real one, must outlive the source.
  WatchSource(WatchPlan plan, store::Store& store, const Clock& clock,
              std::shared_ptr<net::Exchange> exchange);

  State Read(size_t limit, std::vector<net::Piece>& out) override;

 private:
  State ReadEvents(size_t limit, std::vector<net::Piece>& out);

  // Counts the bytes sent, to detect when `limit` is reached.
  class Writer;

  // Returns nullopt if the initial state was sent; else the result of Read.
  std::optional<State> SendInitial(Writer& writer);
  // Returns nullopt if all visible events were sent; else the result of Read.
  std::optional<State> SendEvents(Writer& writer);
  void SendEvent(const store::Event& event, Writer& writer);
  // Sends an event whose object `append` appends to a list of pieces.
  template <typename AppendObject>
  void Send(std::string_view head, Writer& writer, const AppendObject& append);
  void SendObject(std::string_view head, const store::ObjectPtr& object, Writer& writer);
  // Sends DELETED for an object that no longer matches: its old state with the version of the
  // change.
  void SendUnselected(const store::ObjectPtr& object, store::Version version, Writer& writer);
  void SendBookmark(store::Version version, bool initial_end, Writer& writer);
  void SendExpired(Writer& writer);
  // Schedules a wakeup for the next bookmark or the timeout.
  void ScheduleWake(Instant now);

  WatchPlan plan_;
  store::Store& store_;
  const Clock& clock_;
  std::shared_ptr<net::Exchange> exchange_;
  std::unique_ptr<store::Store::Cursor> cursor_;
  std::vector<store::Event> events_;  // Reused by every Read.
  size_t initial_sent_ = 0;
  bool columns_sent_ = false;  // Of a Table.
  std::optional<Instant> ends_at_;
  Instant bookmark_at_;
  Instant wakes_at_;  // The time of the last scheduled wakeup.
};

}  // namespace berth::apiserver
