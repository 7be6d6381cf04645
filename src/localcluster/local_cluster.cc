#include "localcluster/local_cluster.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <boost/json/monotonic_resource.hpp>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "api/json/parse.h"
#include "base/chrono.h"
#include "localcluster/collection_informer.h"
#include "localcluster/controller.h"
#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

// Batch sizes of one iteration, so that neither events nor controllers starve.
constexpr size_t kEventsPerIteration = 2000;
constexpr size_t kKeysPerIteration = 500;
constexpr size_t kRecordedPerIteration = 100;

// Signal lets a thread sleep until another one raises it. Shared by the loop and the store's wake
// callbacks.
class Signal {
 public:
  void Raise() {
    {
      const std::lock_guard lock(mutex_);
      raised_ = true;
    }
    condition_.notify_one();
  }
  void WaitFor(std::chrono::nanoseconds timeout) {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, timeout, [&] { return raised_; });
    raised_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable condition_;
  bool raised_ = false;
};

}  // namespace

class LocalCluster::Loop {
 public:
  Loop(apiserver::registry::Api& api, const Clock& clock, LocalClusterOptions options)
      : options_(std::move(options)),
        context_{api, clock, options_},
        controllers_(MakeControllers(context_)) {
    if (options_.workloads_only) context_.events.Disable();
    api.WhenKindsChange(Wake());
  }

  // Dispatches pending events, then syncs queued keys. Returns false if there was nothing to do.
  bool RunOnce() {
    UpdateInformers();
    bool busy = false;
    apiserver::store::Version seen = std::numeric_limits<apiserver::store::Version>::max();
    for (auto& [collection, informer] : informers_) {
      busy |= informer.Read(kEventsPerIteration, dispatch_);
      seen = std::min(seen, informer.position());
    }
    const Instant now = context_.now();
    for (const auto& controller : controllers_) {
      for (size_t i = 0; i < kKeysPerIteration; ++i) {
        const auto key = controller->queue().Pop(now, seen);
        if (!key) break;
        controller->Sync(*key);
        busy = true;
      }
    }
    if (!busy) context_.events.DeleteExpired(options_.speed);
    // Everything else comes first.
    return busy || context_.events.Write(kRecordedPerIteration);
  }

  std::optional<Instant> NextDue() const {
    std::optional<Instant> next;
    for (const auto& controller : controllers_) {
      const auto due = controller->queue().NextDue();
      if (due && (!next || *due < *next)) next = due;
    }
    return next;
  }

  // Sleeps until an event arrives or the next timer is due.
  void Sleep() {
    Duration wait = Duration::Seconds(10);
    if (const auto due = NextDue()) {
      const Duration left = (*due - context_.now()) / options_.speed;
      wait = std::clamp(left + Duration{1}, Duration{1}, wait);
    }
    signal_->WaitFor(ToChrono(wait));
  }

  std::vector<std::string> Sizes() const {
    std::vector<std::string> sizes = {
        fmt::format("pods={}", context_.pods.size()),
        fmt::format("nodes={}", context_.nodes.all().size()),
        fmt::format("events={}", context_.events.waiting()),
    };
    for (const auto& controller : controllers_) {
      sizes.push_back(fmt::format("{}={}", controller->name(),
                                  controller->queue().size() + controller->index_size()));
    }
    return sizes;
  }

  Signal& signal() { return *signal_; }

 private:
  std::function<void()> Wake() const {
    return [signal = signal_] { signal->Raise(); };
  }

  // Watches the collections of the kinds that are served now, and no others.
  void UpdateInformers() {
    auto kinds = context_.api.kinds();
    if (kinds == kinds_) return;
    kinds_ = std::move(kinds);
    std::map<apiserver::store::Collection, CollectionInformer> others;
    others.swap(informers_);
    for (const api::scheme::KindPtr& kind : kinds_->stored()) {
      // Events are numerous, have no owners and no controller here uses them.
      if (kind->IsBuiltIn("Event")) continue;
      if (auto known = others.extract(kind->collection)) {
        known.mapped().Use(kind);
        informers_.insert(std::move(known));
      } else {
        informers_.try_emplace(kind->collection, context_.api.store(), kind, Wake());
      }
    }
    // Their objects are gone.
    for (auto& [collection, informer] : others) informer.Read(kEventsPerIteration, dispatch_);
  }

  void Dispatch(const api::scheme::KindPtr& kind_ptr, bool deleted,
                const apiserver::store::ObjectPtr& object,
                const apiserver::store::ObjectPtr& previous) {
    const Kind& kind = *kind_ptr;
    boost::json::monotonic_resource memory(buffer_.data(), buffer_.size());
    const auto document = api::ParseJson(object->json, {.storage = &memory});
    const JsonObject* fields = document ? document->if_object() : nullptr;
    if (!fields) return;
    Change change{kind, deleted, *object, previous.get(), *fields};
    change.owned_kind = kind_ptr;
    std::optional<PodRecord> old_pod;
    std::optional<NodeRecord> old_node;
    if (&kind == &Pods()) {
      old_pod = deleted ? context_.pods.Remove(object->key) : context_.pods.Put(object, *fields);
      change.previous_pod = old_pod ? &*old_pod : nullptr;
      change.pod = deleted ? change.previous_pod : context_.pods.Find(object->key);
    } else if (&kind == &Nodes()) {
      const std::string& name = object->key.name;
      old_node = deleted ? context_.nodes.Remove(name) : context_.nodes.Put(object, *fields);
      change.previous_node = old_node ? &*old_node : nullptr;
      change.node = deleted ? change.previous_node : context_.nodes.Find(name);
    }
    for (const auto& controller : controllers_) controller->Observe(change);
  }

  LocalClusterOptions options_;
  std::shared_ptr<Signal> signal_ = std::make_shared<Signal>();
  Context context_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::shared_ptr<const api::scheme::KindSet> kinds_;  // Those that informers_ watch.
  std::map<apiserver::store::Collection, CollectionInformer> informers_;
  CollectionInformer::Handler dispatch_ = [this](const api::scheme::KindPtr& kind, bool deleted,
                                                 const apiserver::store::ObjectPtr& object,
                                                 const apiserver::store::ObjectPtr& previous) {
    Dispatch(kind, deleted, object, previous);
  };
  std::array<unsigned char, 64 << 10> buffer_;  // Scratch memory: most documents fit.
};

class LocalCluster::Thread {
 public:
  explicit Thread(Loop& loop) : loop_(loop), thread_([this] { Run(); }) {}
  ~Thread() {
    stopping_ = true;
    loop_.signal().Raise();
    thread_.join();
  }

 private:
  void Run() {
    while (!stopping_) {
      if (!loop_.RunOnce()) loop_.Sleep();
    }
  }

  Loop& loop_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

LocalCluster::LocalCluster(apiserver::registry::Api& api, const Clock& clock,
                           LocalClusterOptions options)
    : loop_(std::make_unique<Loop>(api, clock, std::move(options))) {}

LocalCluster::~LocalCluster() = default;

std::unique_ptr<LocalCluster> LocalCluster::Start(apiserver::registry::Api& api, const Clock& clock,
                                                  LocalClusterOptions options) {
  auto cluster = std::make_unique<LocalCluster>(api, clock, std::move(options));
  cluster->thread_ = std::make_unique<Thread>(*cluster->loop_);
  return cluster;
}

void LocalCluster::RunUntilIdle() {
  while (loop_->RunOnce()) {
  }
}

std::optional<Instant> LocalCluster::NextDue() const { return loop_->NextDue(); }

std::vector<std::string> LocalCluster::Sizes() const { return loop_->Sizes(); }

}  // namespace berth::localcluster
