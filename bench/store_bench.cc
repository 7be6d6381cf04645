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

namespace berth::apiserver::store {
namespace {

constexpr Collection kPods = 0;
constexpr size_t kObjects = 100'000;

std::unique_ptr<Store> OpenStore(std::unique_ptr<Journal> journal = nullptr) {
  StoreOptions options;
  options.collections = {"pods"};
  options.first_version = 1'000'000;
  auto store = Store::Open(std::move(options), std::move(journal));
  CHECK(store.has_value());
  return std::move(*store);
}

Draft MakePod(size_t number) {
  static const std::string kRest(1'400, 'x');
  Draft draft;
  // Names are spread over the key space, as those of ReplicaSets' pods are.
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

std::unique_ptr<Store> OpenFullStore() {
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
    Draft draft = MakePod((number += 7919) % kObjects);
    const ObjectPtr current = store->Get(kPods, draft.object.key);
    CHECK(store->Replace(kPods, std::move(draft), current->version).has_value());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Replace)->Iterations(kObjects)->Unit(benchmark::kMicrosecond);

// Lists all objects of a full store. ListPages lists them in pages, all at one version.
void ListAll(benchmark::State& state) {
  const auto store = OpenFullStore();
  for (auto _ : state) benchmark::DoNotOptimize(store->List(kPods, {}));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kObjects));
}
BENCHMARK(ListAll)->Unit(benchmark::kMillisecond);

void ListPages(benchmark::State& state) {
  const auto store = OpenFullStore();
  for (auto _ : state) {
    ListQuery query{.limit = 500};
    while (true) {
      const ListResult page = store->List(kPods, query);
      if (!page.more) break;
      query.after = page.objects.back()->key;
      query.at = page.version;
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kObjects));
}
BENCHMARK(ListPages)->Unit(benchmark::kMillisecond);

// Writes one event, which wakes a thousand watchers that then read it: the worst case. With an
// argument, that many events are written before they read. Items are delivered events.
void FanOut(benchmark::State& state) {
  constexpr size_t kWatchers = 1'000;
  const auto store = OpenStore();
  size_t wakes = 0;
  std::vector<std::unique_ptr<Store::Cursor>> cursors;
  std::vector<Event> events;
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

// Storage is a temporary directory.
class Storage {
 public:
  Storage() : path_(std::filesystem::temp_directory_path() / "berth-bench-XXXXXX") {
    CHECK(mkdtemp(path_.data()) != nullptr);
  }
  ~Storage() { std::filesystem::remove_all(path_); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::unique_ptr<Store> Open() const {
    auto journal = OpenSqliteJournal(path_);
    CHECK(journal.has_value());
    return OpenStore(std::move(*journal));
  }

 private:
  std::string path_;
};

// Each writer waits until its write is durable before the next one.
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

// How long it takes to load a full store.
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
}  // namespace berth::apiserver::store
