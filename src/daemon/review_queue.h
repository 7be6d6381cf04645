// ReviewQueue sends reviews (TokenReview, SubjectAccessReview) to the API server on behalf of
// requests to the HTTPS port, so that a client that causes many does not delay the others.
//
// Equal reviews are sent once. A bounded number is under way, and of those only some for one client
// address. Of the requests that wait, those go first whose review was favourable before, then those
// of connections that were served least recently. Too many waiting requests cost the connection
// that has the most its newest one.
//
// May be used on any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/rest_client.h"
#include "net/executor.h"
#include "net/http_server.h"

namespace berth::daemon {

struct ReviewError {
  std::string message;
  bool overloaded = false;  // Too many requests wait; there was no review.
};

struct ReviewLimits {
  // Enough for 200 reviews a second, the client's limit, if each takes 80 ms.
  size_t in_flight = 16;
  size_t in_flight_per_address = 8;
  // More than the HTTPS port has connections, so that each may have one waiting request.
  size_t waiting = 512;
};

// Returns a key of fixed size for a text, such as a token, that must not be kept or is long.
std::string ReviewKey(std::string_view text);

class ReviewQueue {
 public:
  // Receives the body of the response, or the reason why there is none.
  using Callback = std::function<void(std::expected<std::string, ReviewError>)>;

  struct Review {
    std::string key;  // Reviews with the same key are equal.
    client::RestRequest request;
    bool urgent = false;
  };

  // `client` calls back on `executor`. Both must outlive the queue, which must outlive their
  // callbacks.
  ReviewQueue(client::RestClient& client, net::Executor& executor, ReviewLimits limits = {});
  ~ReviewQueue();

  // Sends `review` up to five times, with growing pauses that start at half a second, until the API
  // server responds with something other than a temporary failure. Calls back once, on the executor
  // or, if there are too many, before it returns. `request` identifies the caller.
  void Send(const net::ServerRequest& request, Review review, Callback callback);
  // Drops the callback of `request`, and the review if no other request needs it.
  void Cancel(const net::ServerRequest& request);

  size_t in_flight() const;
  size_t waiting() const;  // Requests, including those whose reviews are in flight.

 private:
  class Call;
  struct Flight;
  using Ticket = uint64_t;

  struct Waiter {
    const net::ServerRequest* request = nullptr;
    uint64_t connection = 0;
    std::string key;
    Callback callback;
  };

  // All of these require the mutex.
  // Makes room for a request of `connection`: returns the callback of the request that is dropped
  // for it, null if none is, or nothing if the new one must be dropped.
  std::optional<Callback> MakeRoom(uint64_t connection);
  // Returns the callback of a waiter, which is removed, and its flight if it was the last one.
  Callback Remove(Ticket ticket);
  void EraseFlight(const std::string& key);
  // Returns the calls to start.
  std::vector<std::shared_ptr<Call>> TakeNext();
  Flight* FindNext();

  void Finish(const std::string& key, uint64_t number,
              const std::expected<std::string, ReviewError>& result);

  client::RestClient& client_;
  net::Executor& executor_;
  const ReviewLimits limits_;

  mutable std::mutex mutex_;
  uint64_t last_number_ = 0;  // Of tickets, flights and turns.
  std::map<Ticket, Waiter> waiters_;
  std::map<std::string, std::unique_ptr<Flight>> flights_;  // By key.
  std::map<std::string, size_t> in_flight_by_address_;
  size_t in_flight_ = 0;
  // Of connections with waiting requests: how many, and when one was served last.
  struct Turn {
    size_t waiting = 0;
    uint64_t served = 0;
  };
  std::map<uint64_t, Turn> connections_;
};

}  // namespace berth::daemon
