// The store: writes in memory, lists, fan-out to a thousand watchers, and durable writes.
//
// Objects are as large as a small pod.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <semaphore>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/store/store.h"
#include "base/check.h"

namespace berth::store {
namespace {

constexpr apiserver::store::Collection kPods = 0;
constexpr size_t kObjects = 100'000;

std::unique_ptr<apiserver::store::Store> OpenStore(
    std::unique_ptr<apiserver::store::Journal> journal = nullptr) {
  apiserver::store::StoreOptions options;
  options.collections = {"pods"};
  options.first_version = 1'000'000;
  auto store = apiserver::store::Store::Open(std::move(options), std::move(journal));
  CHECK(store.has_value());
  return std::move(*store);
}

apiserver::store::Draft MakePod(size_t number) {
  static const std::string kRest(1'400, 'x');
  apiserver::store::Draft draft;
  // Names of pods are spread, as those of ReplicaSets are.
  draft.object.key = {
      fmt::format("ns-{}", number % 10),
      fmt::format("web-{:08x}-{}", static_cast<uint32_t>(number * 2654435761U), number)};
  draft.object.uid = fmt::format("6f1a9f3c-7c0e-4a7b-9d55-{:012}", number);
  draft.object.labels = {{"app", "web"}, {"pod-template-hash", "7c6dc5ddfc"}};
  draft.object.fields = {"", "Pending"};
  draft.object.json = R"({"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":")";
  draft.version_at = draft.object.json.size();
  draft.object.json += R"("},"spec":")" + kRest + R"("})";
  return draft;
}

std::unique_ptr<apiserver::store::Store> OpenFullStore() {
  auto store = OpenStore();
  for (size_t i = 0; i < kObjects; ++i) CHECK(store->Create(kPods, MakePod(i)).has_value());
  return store;
}

void Create(benchmark::State& state) {
  const auto store = OpenStore();
  size_t number = 0;
  for (auto _ : state) CHECK(store->Create(kPods, MakePod(number++)).has_value());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Create)->Iterations(kObjects)->Unit(benchmark::kMicrosecond);

void Replace(benchmark::State& state) {
  const auto store = OpenFullStore();
  size_t number = 0;
  for (auto _ : state) {
    apiserver::store::Draft draft = MakePod((number += 7919) % kObjects);
    const apiserver::store::ObjectPtr now = store->Get(kPods, draft.object.key);
    CHECK(store->Replace(kPods, std::move(draft), now->version).has_value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Replace)->Iterations(kObjects)->Unit(benchmark::kMicrosecond);

// All objects of a full store. ListPages asks for them in pages, all of one version.
void ListAll(benchmark::State& state) {
  const auto store = OpenFullStore();
  for (auto _ : state) benchmark::DoNotOptimize(store->List(kPods, {}));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kObjects));
}
BENCHMARK(ListAll)->Unit(benchmark::kMillisecond);

void ListPages(benchmark::State& state) {
  const auto store = OpenFullStore();
  for (auto _ : state) {
    apiserver::store::ListQuery query{.limit = 500};
    while (true) {
      const apiserver::store::ListResult page = store->List(kPods, query);
      if (!page.more) break;
      query.after = page.objects.back()->key;
      query.at = page.version;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kObjects));
}
BENCHMARK(ListPages)->Unit(benchmark::kMillisecond);

// One event at a time, which wakes a thousand watchers, each of which then reads it: the worst
// case. With an argument, that many events come before they get to read. Items are events
// delivered.
void FanOut(benchmark::State& state) {
  constexpr size_t kWatchers = 1'000;
  const auto store = OpenStore();
  size_t wakes = 0;
  std::vector<std::unique_ptr<apiserver::store::Store::Cursor>> cursors;
  std::vector<apiserver::store::Event> events;
  for (size_t i = 0; i < kWatchers; ++i) {
    cursors.push_back(store->Watch(kPods, store->version(), [&] { ++wakes; }));
    CHECK(cursors.back()->Read(1'000, events));
  }
  const size_t burst = static_cast<size_t>(state.range(0));
  size_t number = 0;
  size_t delivered = 0;
  for (auto _ : state) {
    for (size_t i = 0; i < burst; ++i) {
      CHECK(store->Create(kPods, MakePod(number++)).has_value());
    }
    for (const auto& cursor : cursors) {
      for (bool more = true; more;) {
        events.clear();
        CHECK(cursor->Read(1'000, events));
        delivered += events.size();
        more = !events.empty();
      }
    }
  }
  CHECK(delivered == number * kWatchers);
  state.SetItemsProcessed(static_cast<int64_t>(delivered));
  state.counters["events/s"] =
      benchmark::Counter(static_cast<double>(number), benchmark::Counter::kIsRate);
}
BENCHMARK(FanOut)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMicrosecond);

// Storage is a directory that is removed in the end.
class Storage {
 public:
  Storage() : path_(std::filesystem::temp_directory_path() / "berth-bench-XXXXXX") {
    CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~Storage() { std::filesystem::remove_all(path_); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::unique_ptr<apiserver::store::Store> Open() const {
    auto journal = apiserver::store::OpenSqliteJournal(path_);
    CHECK(journal.has_value());
    return OpenStore(std::move(*journal));
  }

 private:
  std::string path_;
};

// A writer waits until its write is on the disk before it makes the next one.
void DurableCreate(benchmark::State& state) {
  const Storage storage;
  const auto store = storage.Open();
  const auto writers = static_cast<ptrdiff_t>(state.range(0));
  std::counting_semaphore<1024> free(writers);
  size_t number = 0;
  for (auto _ : state) {
    free.acquire();
    const auto created = store->Create(kPods, MakePod(number++));
    CHECK(created.has_value());
    store->WhenVisible((*created)->version, [&](const Status& status) {
      CHECK(status.has_value());
      free.release();
    });
  }
  for (ptrdiff_t i = 0; i < writers; ++i) free.acquire();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(DurableCreate)->Arg(1)->Arg(16)->Arg(256)->UseRealTime()->Unit(benchmark::kMicrosecond);

// How long a full store takes to come back.
void Reopen(benchmark::State& state) {
  const Storage storage;
  {
    const auto store = storage.Open();
    for (size_t i = 0; i < kObjects; ++i) CHECK(store->Create(kPods, MakePod(i)).has_value());
  }
  for (auto _ : state) CHECK(storage.Open()->Count(kPods) == kObjects);
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kObjects));
}
BENCHMARK(Reopen)->Iterations(3)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace berth::store
