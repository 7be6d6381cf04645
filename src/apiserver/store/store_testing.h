// Fixtures for tests of the store: small objects, printing, temporary directories, and a journal
// under the test's control.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/store/journal.h"
#include "apiserver/store/store.h"
#include "testing/await.h"
#include "testing/require.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {

// Returns the draft of {"v":"<version>","text":"<text>"}; `name` is "namespace/name" or "name".
inline Draft MakeDraft(std::string_view name, std::string_view text) {
  Draft draft;
  const size_t slash = name.find('/');
  if (slash != std::string_view::npos) draft.object.key.namespace_ = name.substr(0, slash);
  draft.object.key.name = slash != std::string_view::npos ? name.substr(slash + 1) : name;
  draft.object.uid = fmt::format("uid-{}", name);
  draft.object.labels = {{"text", std::string(text)}};
  draft.object.fields = {std::string(name), ""};
  draft.object.json = fmt::format(R"({{"v":"","text":"{}"}})", text);
  draft.version_at = 6;
  return draft;
}

inline ObjectName Name(std::string_view name) { return MakeDraft(name, "").object.key; }

// Returns "namespace/name@version=text", with version and text from the JSON.
inline std::string Show(const Object& object) {
  const size_t version_end = object.json.find('"', 6);
  const size_t text_at = version_end + std::string_view(R"(","text":")").size();
  return fmt::format("{}/{}@{}={}", object.key.namespace_, object.key.name,
                     object.json.substr(6, version_end - 6),
                     object.json.substr(text_at, object.json.size() - text_at - 2));
}

inline std::vector<std::string> Show(const std::vector<ObjectPtr>& objects) {
  std::vector<std::string> shown;
  for (const ObjectPtr& object : objects) shown.push_back(Show(*object));
  return shown;
}

// Returns "+object", "~object was previous" or "-object was previous" for each event.
inline std::vector<std::string> Show(const std::vector<Event>& events) {
  std::vector<std::string> shown;
  for (const Event& event : events) {
    std::string text = "+~-"[static_cast<size_t>(event.type)] + Show(*event.object);
    if (event.previous != nullptr) text += " was " + Show(*event.previous);
    shown.push_back(std::move(text));
  }
  return shown;
}

inline std::unique_ptr<Store> OpenStore(std::unique_ptr<Journal> journal = nullptr,
                                        size_t history = 1000, Version first_version = 1) {
  StoreOptions options;
  options.collections = {"pods", "nodes"};
  options.history = history;
  options.first_version = first_version;
  return Require(Store::Open(std::move(options), std::move(journal)));
}

constexpr Collection kPods = 0;
constexpr Collection kNodes = 1;

// Opens a store with the journal in `directory`.
inline std::unique_ptr<Store> OpenIn(const TemporaryDirectory& directory, size_t history = 1000,
                                     Version first_version = 1, Version reserve = 1 << 20) {
  auto journal = Require(OpenSqliteJournal(directory.path(), reserve));
  return OpenStore(std::move(journal), history, first_version);
}

// Returns the error of opening a store there; empty if it succeeds.
inline std::string ErrorOf(const std::string& directory) {
  auto journal = OpenSqliteJournal(directory);
  if (!journal) return journal.error().message;
  StoreOptions options;
  options.collections = {"pods", "nodes"};
  const auto store = Store::Open(options, std::move(*journal));
  return store ? "" : store.error().message;
}

// Waits until `version` is visible, or never will be.
inline Status AwaitVisible(Store& store, Version version) {
  std::promise<Status> visible;
  store.WhenVisible(version, [&](Status status) { visible.set_value(std::move(status)); });
  return Await(visible);
}

inline void AwaitVisible(Store& store) {
  const Status status = AwaitVisible(store, store.version());
  ASSERT_TRUE(status) << status.error().message;
}

// Returns the events that `cursor` reads, or "expired".
inline std::vector<std::string> Read(Store::Cursor& cursor, size_t limit = 1000) {
  std::vector<Event> events;
  if (!cursor.Read(limit, events)) return {"expired"};
  return Show(events);
}

// ManualJournal is a journal in memory; the test decides when entries become durable.
class ManualJournal final : public Journal {
 public:
  // The calls of the journal and its settings; outlives it.
  struct Notes {
    std::vector<JournalEntry> appended;
    std::vector<Compaction> compactions;
    std::function<void(Result<Version>)> durable;
    Version reserved = 1'000'000;
    Recovered recovered;
  };
  explicit ManualJournal(std::shared_ptr<Notes> notes) : notes_(std::move(notes)) {}

  Result<Recovered> Recover() override { return notes_->recovered; }
  Status Replay(const std::function<Status(const JournalEntry&)>& entry) override {
    for (const JournalEntry& appended : notes_->appended) {
      if (Status status = entry(appended); !status) return status;
    }
    return {};
  }
  Status Start(Version, std::function<void(Result<Version>)> durable) override {
    notes_->durable = std::move(durable);
    return {};
  }
  Version reserved() const override { return notes_->reserved; }
  void Append(JournalEntry entry) override { notes_->appended.push_back(std::move(entry)); }
  void Compact(Compaction compaction) override {
    notes_->compactions.push_back(std::move(compaction));
  }
  const std::string& name() const override { return name_; }

 private:
  std::shared_ptr<Notes> notes_;
  std::string name_ = "the manual journal";
};

}  // namespace berth::apiserver::store
