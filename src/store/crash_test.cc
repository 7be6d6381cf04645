// Kills a process that writes to a store, at random moments and again and again: what it was told
// is stored is there, once, and versions only grow.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/random.h"
#include "store/testing.h"

namespace berth::store {
namespace {

constexpr int kRounds = 50;

// What the writer has told about one object.
struct Told {
  char acknowledged = '-';  // The last operation that is known to be stored: c, r, d or none.
  Version version = 0;      // Its version.
  char tried = '-';         // The operation after that, if any, and its version.
  Version tried_version = 0;
};

class CrashTest : public testing::Test {
 protected:
  // Runs the writer, and kills it when it has told `lines` lines. Reads what else it told.
  void RunAndKill(int round, int threads, size_t history, uint64_t lines) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      execl(BERTH_CRASH_WRITER, BERTH_CRASH_WRITER, directory_.path().c_str(),
            std::to_string(round).c_str(), std::to_string(threads).c_str(),
            std::to_string(history).c_str(), nullptr);
      _exit(127);
    }
    close(ends[1]);
    FILE* output = fdopen(ends[0], "r");
    char line[200];
    while (fgets(line, sizeof line, output) != nullptr) {
      Hear(line);
      if (--lines == 0) kill(child, SIGKILL);
    }
    std::fclose(output);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    newest_before_ = std::max(newest_before_, newest_);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << WEXITSTATUS(status);
  }

  void Hear(const std::string& line) {
    std::istringstream in(line);
    std::string what, name;
    char operation = '-';
    Version version = 0;
    in >> what >> name >> operation >> version;
    Told& told = told_[name];
    if (what == "try") {
      EXPECT_GT(version, newest_before_) << "a version was handed out twice: " << line;
      newest_ = std::max(newest_, version);
      told.tried = operation;
      told.tried_version = version;
      operations_[version] = {name, operation};
    } else {
      EXPECT_EQ(what, "ack");
      told.acknowledged = operation;
      told.version = version;
      told.tried = '-';
      acknowledged_.insert(version);
    }
  }

  // `now` is null if the object is not there.
  static bool IsAfter(char operation, Version version, const Object* now) {
    if (operation == '-' || operation == 'd') return now == nullptr;
    return now != nullptr && now->version == version &&
           now->labels[0].second.starts_with(operation == 'c' ? "created" : "replaced");
  }

  void Check(size_t history) {
    auto journal = OpenSqliteJournal(directory_.path());
    ASSERT_TRUE(journal) << journal.error().message;
    const auto store = OpenStore(std::move(*journal), history);
    EXPECT_GE(store->version(), newest_);
    size_t present = 0;
    for (auto& [name, told] : told_) {
      const ObjectPtr now = store->Get(kPods, Name(name));
      if (now != nullptr) ++present;
      // A write that was tried may be stored or not; from now on it stays so.
      const bool stored = told.tried != '-' && IsAfter(told.tried, told.tried_version, now.get());
      EXPECT_TRUE(stored || IsAfter(told.acknowledged, told.version, now.get()))
          << name << " told: " << told.acknowledged << told.version << ", tried: " << told.tried
          << told.tried_version << ", is: " << (now != nullptr ? Show(*now).substr(0, 40) : "gone");
      if (stored) {
        told.acknowledged = told.tried;
        told.version = told.tried_version;
        acknowledged_.insert(told.version);
      }
      told.tried = '-';
    }
    // Nothing is there that the writer did not tell of, but for what it died over.
    EXPECT_LE(store->Count(kPods) - present, 8U);
    CheckHistory(*store);
    newest_before_ = store->version();
  }

  // Every acknowledged version that history reaches back to is in it once, and in order.
  void CheckHistory(Store& store) {
    Version from = 0;
    while (store.List(kPods, {.at = from}).expired) ++from;
    std::vector<Event> events;
    ASSERT_TRUE(store.Watch(kPods, from, nullptr)->Read(1'000'000, events));
    auto next = acknowledged_.upper_bound(from);
    Version last = from;
    for (const Event& event : events) {
      ASSERT_GT(event.version(), last);
      last = event.version();
      if (next != acknowledged_.end() && *next == last) {
        const auto& [name, operation] = operations_[last];
        EXPECT_EQ(event.object->key.name, name);
        EXPECT_EQ("crd"[static_cast<size_t>(event.type)], operation);
        ++next;
      }
    }
    EXPECT_TRUE(next == acknowledged_.end()) << *next << " is missing";
  }

  TempDirectory directory_;
  std::map<std::string, Told> told_;
  std::map<Version, std::pair<std::string, char>> operations_;
  std::set<Version> acknowledged_;
  Version newest_ = 0;         // Ever handed out.
  Version newest_before_ = 0;  // As of the end of the last process.
};

TEST_F(CrashTest, NothingAcknowledgedIsLostAndVersionsOnlyGrow) {
  constexpr size_t kHistory = 300;  // So that rows are dropped, too.
  Random random(static_cast<uint64_t>(getpid()));
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    const int threads = static_cast<int>(1 + random.Below(8));
    ASSERT_NO_FATAL_FAILURE(RunAndKill(round, threads, kHistory, 1 + random.Below(300)));
    // Every third time the writer is the one to clear up what the last one left.
    if (round % 3 != 0) {
      ASSERT_NO_FATAL_FAILURE(Check(kHistory));
    }
  }
  Check(kHistory);
  EXPECT_GT(acknowledged_.size(), static_cast<size_t>(kRounds));
}

}  // namespace
}  // namespace berth::store
