#include "daemon/review_queue.h"

#include <fmt/format.h>
#include <openssl/sha.h>

#include <optional>
#include <tuple>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"

namespace berth::daemon {
namespace {

constexpr int kTries = 5;
constexpr Duration kFirstDelay = Duration::Millis(500);
constexpr double kDelayFactor = 1.5;

bool IsWorthRetrying(const net::HttpResult<net::HttpResponse>& response) {
  if (response) return response->status == 429 || response->status >= 500;
  using enum net::HttpError::Kind;
  const auto kind = response.error().kind;
  return kind == kUnreachable || kind == kBroken || kind == kTimeout;
}

// Returns a message with the request, its status, and the message of the Status in the body if
// there is one.
std::string Describe(const client::RestRequest& request, const net::HttpResponse& response) {
  const auto status = api::ParseJson(response.body);
  const std::string_view message =
      status ? api::StringAt(api::AsObject(*status), "message") : std::string_view();
  return fmt::format("{} {}: the API server answered {}{}{}", request.method, request.path,
                     response.status, message.empty() ? "" : ": ", message);
}

ReviewError Overloaded() { return {"too many requests wait for a review", true}; }

}  // namespace

std::string ReviewKey(std::string_view text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return {reinterpret_cast<const char*>(digest), sizeof(digest)};
}

// Call is a review under way, with its retries.
class ReviewQueue::Call : public std::enable_shared_from_this<Call> {
 public:
  Call(client::RestClient& client, net::Executor& executor, client::RestRequest request,
       Callback callback)
      : client_(client),
        executor_(executor),
        request_(std::move(request)),
        callback_(std::move(callback)) {}

  void Start() {
    executor_.Dispatch([self = shared_from_this()] { self->Try(); });
  }

  // The callback is not called any more, except at this very moment.
  void Cancel() {
    executor_.Dispatch([self = shared_from_this()] {
      self->cancelled_ = true;
      self->executor_.Cancel(self->timer_);
      if (self->sent_ != 0) self->client_.Cancel(self->sent_);
    });
  }

 private:
  void Try() {
    if (cancelled_) return;
    --left_;
    sent_ = client_.Send(
        request_, [self = shared_from_this()](const net::HttpResult<net::HttpResponse>& response) {
          self->Judge(response);
        });
  }

  void Judge(const net::HttpResult<net::HttpResponse>& response) {
    sent_ = 0;
    if (cancelled_) return;
    if (IsWorthRetrying(response) && left_ > 0) {
      const Duration pause = delay_;
      delay_ = delay_ * kDelayFactor;
      timer_ = executor_.After(pause, [self = shared_from_this()] { self->Try(); });
      return;
    }
    if (!response) return callback_(std::unexpected(ReviewError{response.error().message}));
    if (!response->ok()) {
      return callback_(std::unexpected(ReviewError{Describe(request_, *response)}));
    }
    callback_(response->body);
  }

  client::RestClient& client_;
  net::Executor& executor_;
  const client::RestRequest request_;
  const Callback callback_;
  // On the executor's thread.
  int left_ = kTries;
  Duration delay_ = kFirstDelay;
  client::RestClient::RequestId sent_ = 0;
  net::Executor::TimerId timer_ = 0;
  bool cancelled_ = false;
};

struct ReviewQueue::Flight {
  uint64_t number = 0;  // Tells it from a later one with the same key.
  Review review;
  std::string address;  // Of the first request that needs it.
  std::set<Ticket> waiters = {};
  std::shared_ptr<Call> call = {};  // Null while it waits.
};

ReviewQueue::ReviewQueue(client::RestClient& client, net::Executor& executor, ReviewLimits limits)
    : client_(client), executor_(executor), limits_(limits) {}

ReviewQueue::~ReviewQueue() = default;

size_t ReviewQueue::in_flight() const {
  const std::lock_guard lock(mutex_);
  return in_flight_;
}

size_t ReviewQueue::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiters_.size();
}

void ReviewQueue::Send(const net::ServerRequest& request, Review review, Callback callback) {
  Callback dropped;
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard lock(mutex_);
    auto room = MakeRoom(request.peer.connection);
    if (room) {
      dropped = *std::move(room);
      const Ticket ticket = ++last_number_;
      std::unique_ptr<Flight>& flight = flights_[review.key];
      if (flight == nullptr) {
        flight = std::make_unique<Flight>(++last_number_, review, request.peer.address);
      }
      flight->review.urgent |= review.urgent;
      flight->waiters.insert(ticket);
      waiters_.emplace(ticket, Waiter{&request, request.peer.connection, std::move(review.key),
                                      std::move(callback)});
      ++connections_[request.peer.connection].waiting;
      calls = TakeNext();
    } else {
      dropped = std::move(callback);
    }
  }
  if (dropped) dropped(std::unexpected(Overloaded()));
  for (const auto& call : calls) call->Start();
}

std::optional<ReviewQueue::Callback> ReviewQueue::MakeRoom(uint64_t connection) {
  if (waiters_.size() < limits_.waiting) return Callback();
  const auto own = connections_.find(connection);
  size_t most = own == connections_.end() ? 1 : own->second.waiting + 1;
  std::optional<uint64_t> greediest;
  for (const auto& [other, turn] : connections_) {
    if (turn.waiting < most || other == connection) continue;
    most = turn.waiting;
    greediest = other;
  }
  if (!greediest) return std::nullopt;
  for (auto waiter = waiters_.rbegin(); waiter != waiters_.rend(); ++waiter) {
    if (waiter->second.connection == *greediest) return Remove(waiter->first);
  }
  return std::nullopt;
}

ReviewQueue::Callback ReviewQueue::Remove(Ticket ticket) {
  const auto found = waiters_.extract(ticket);
  Waiter& waiter = found.mapped();
  const auto turn = connections_.find(waiter.connection);
  if (--turn->second.waiting == 0) connections_.erase(turn);
  Flight& flight = *flights_.at(waiter.key);
  flight.waiters.erase(ticket);
  if (flight.waiters.empty()) {
    if (flight.call != nullptr) flight.call->Cancel();
    EraseFlight(waiter.key);
  }
  return std::move(waiter.callback);
}

void ReviewQueue::EraseFlight(const std::string& key) {
  const auto found = flights_.find(key);
  if (found->second->call != nullptr) {
    --in_flight_;
    const auto address = in_flight_by_address_.find(found->second->address);
    if (--address->second == 0) in_flight_by_address_.erase(address);
  }
  flights_.erase(found);
}

void ReviewQueue::Cancel(const net::ServerRequest& request) {
  // Destroyed without the mutex: callbacks own the exchange.
  std::vector<Callback> dropped;
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard lock(mutex_);
    std::vector<Ticket> tickets;
    for (const auto& [ticket, waiter] : waiters_) {
      if (waiter.request == &request) tickets.push_back(ticket);
    }
    for (const Ticket ticket : tickets) dropped.push_back(Remove(ticket));
    calls = TakeNext();
  }
  for (const auto& call : calls) call->Start();
}

ReviewQueue::Flight* ReviewQueue::FindNext() {
  Flight* best = nullptr;
  std::tuple<bool, uint64_t> best_rank;
  for (const auto& [ticket, waiter] : waiters_) {
    Flight& flight = *flights_.at(waiter.key);
    if (flight.call != nullptr) continue;
    const auto address = in_flight_by_address_.find(flight.address);
    if (address != in_flight_by_address_.end() &&
        address->second >= limits_.in_flight_per_address) {
      continue;
    }
    const std::tuple rank(!flight.review.urgent, connections_.at(waiter.connection).served);
    if (best != nullptr && best_rank <= rank) continue;
    best = &flight;
    best_rank = rank;
  }
  return best;
}

std::vector<std::shared_ptr<ReviewQueue::Call>> ReviewQueue::TakeNext() {
  std::vector<std::shared_ptr<Call>> calls;
  while (in_flight_ < limits_.in_flight) {
    Flight* const flight = FindNext();
    if (flight == nullptr) break;
    flight->call =
        std::make_shared<Call>(client_, executor_, std::move(flight->review.request),
                               [this, key = flight->review.key, number = flight->number](
                                   const std::expected<std::string, ReviewError>& result) {
                                 Finish(key, number, result);
                               });
    ++in_flight_;
    ++in_flight_by_address_[flight->address];
    for (const Ticket ticket : flight->waiters) {
      connections_.at(waiters_.at(ticket).connection).served = ++last_number_;
    }
    calls.push_back(flight->call);
  }
  return calls;
}

void ReviewQueue::Finish(const std::string& key, uint64_t number,
                         const std::expected<std::string, ReviewError>& result) {
  std::vector<Callback> callbacks;
  std::vector<std::shared_ptr<Call>> calls;
  {
    const std::lock_guard lock(mutex_);
    const auto found = flights_.find(key);
    if (found == flights_.end() || found->second->number != number) return;
    const std::set<Ticket> tickets = found->second->waiters;
    for (const Ticket ticket : tickets) callbacks.push_back(Remove(ticket));
    calls = TakeNext();
  }
  for (const auto& call : calls) call->Start();
  for (const Callback& callback : callbacks) callback(result);
}

}  // namespace berth::daemon
