// WatchSource is the body of a watch: the initial state if it is wanted, then every change of the
// collection as the client's selector sees it, until the client's time is over.
//
// What is sent is shared with all other watchers: an event is the stored object between two
// literals. A watcher that falls behind the store's history is told so (ERROR 410) and ends.
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
  std::string namespace_;  // Empty: all of them.
  ObjectSelector selector;
  std::vector<store::ObjectPtr> initial;  // Sent as ADDED before anything else.
  bool initial_end_bookmark = false;      // Then a bookmark says that these were all.
  store::Version from = 0;                // Changes after this version are told.
  store::Version visible = 0;             // What must be visible before anything is sent.
  bool bookmarks = false;
  std::optional<Duration> timeout;
  std::shared_ptr<void> lease;  // Goes with the watch: how watchers are counted.
};

class WatchSource final : public net::BodySource {
 public:
  // How often a client hears how far it has come, if it wants to.
  static constexpr Duration kBookmarkEvery = Duration::Seconds(60);

  // Wakes `exchange`, which must not own the source, when there is more. `store` and `clock`, which
  // is a real one, must outlive the source.
  WatchSource(WatchPlan plan, store::Store& store, const Clock& clock,
              std::shared_ptr<net::Exchange> exchange);

  State Read(size_t limit, std::vector<net::Piece>& out) override;

 private:
  // Everything sent so far, to know when `limit` is reached.
  class Writer;

  // False if the room was used up before all was sent.
  bool SendInitial(Writer& writer);
  // Nothing if all visible events were sent; else what Read shall return.
  std::optional<State> SendEvents(Writer& writer);
  void SendEvent(const store::Event& event, Writer& writer);
  void SendObject(std::string_view head, const store::ObjectPtr& object, Writer& writer);
  // `object` is no longer selected: its old state, with the version of the change.
  void SendLost(const store::ObjectPtr& object, store::Version version, Writer& writer);
  void SendBookmark(store::Version version, bool initial_end, Writer& writer);
  void SendExpired(Writer& writer);
  // Asks to be woken when the next bookmark or the end is due.
  void ScheduleWake(Instant now);

  WatchPlan plan_;
  const Clock& clock_;
  std::shared_ptr<net::Exchange> exchange_;
  std::unique_ptr<store::Store::Cursor> cursor_;
  std::vector<store::Event> events_;  // Reused by every Read.
  size_t initial_sent_ = 0;
  bool columns_sent_ = false;  // Of a Table.
  std::optional<Instant> ends_at_;
  Instant bookmark_at_;
  Instant wakes_at_;  // When the last wake asked for comes.
};

}  // namespace berth::apiserver
