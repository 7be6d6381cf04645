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
#include <sstream>
#include <string>
#include <utility>

#include "apiserver/store/store_testing.h"
#include "base/random.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

constexpr int kRounds = 50;

// What the writer has told about one object.
struct Told {
  char stored = '-';          // The last operation that is known to be stored: c, r, d or none.
  Version version = 0;        // Its version; 0 if it is known by its effect alone.
  char tried = '-';           // The operation after that, which may be stored or not, if any.
  Version tried_version = 0;  // 0: the writer died before it could tell.
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
    if (what == "will") {
      told.tried = operation;
      told.tried_version = 0;
    } else if (what == "try") {
      EXPECT_GT(version, newest_before_) << "a version was handed out twice: " << line;
      newest_ = std::max(newest_, version);
      told.tried_version = version;
    } else {
      EXPECT_EQ(what, "ack");
      told.tried_version = version;
      NoteStored(name, told);
    }
  }

  // What was tried is stored.
  void NoteStored(const std::string& name, Told& told) {
    told.stored = std::exchange(told.tried, '-');
    told.version = told.tried_version;
    if (told.version != 0) stored_[told.version] = {name, told.stored};
  }

  // Whether an object may be so after the operation. `now` is null if it is not there.
  static bool IsAfter(char operation, Version version, const Object* now) {
    if (operation == '-' || operation == 'd') return now == nullptr;
    return now != nullptr && (version == 0 || now->version == version) &&
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
      if (told.tried != '-' && IsAfter(told.tried, told.tried_version, now.get())) {
        if (now != nullptr) told.tried_version = now->version;
        NoteStored(name, told);
      }
      EXPECT_TRUE(IsAfter(told.stored, told.version, now.get()))
          << name << " stored: " << told.stored << told.version << ", tried: " << told.tried
          << told.tried_version << ", is: " << (now != nullptr ? Show(*now).substr(0, 40) : "gone");
      told.tried = '-';
    }
    EXPECT_EQ(store->Count(kPods), present) << "something is there that nobody wrote";
    CheckHistory(*store);
    newest_before_ = store->version();
  }

  // History has every version that is stored, as far as it reaches back, once and in order.
  void CheckHistory(Store& store) {
    Version from = 0;
    while (store.List(kPods, {.at = from}).expired) ++from;
    std::vector<Event> events;
    ASSERT_TRUE(store.Watch(kPods, from, nullptr)->Read(1'000'000, events));
    auto next = stored_.upper_bound(from);
    Version last = from;
    for (const Event& event : events) {
      ASSERT_GT(event.version(), last);
      last = event.version();
      const std::string& name = event.object->key.name;
      const char operation = "crd"[static_cast<size_t>(event.type)];
      if (next != stored_.end() && next->first == last) {
        EXPECT_EQ(next->second, std::pair(name, operation));
        ++next;
      } else {
        // The writer died before it could tell the version of this deletion.
        EXPECT_TRUE(operation == 'd' && told_[name].stored == 'd' && told_[name].version == 0)
            << Show(*event.object).substr(0, 40);
      }
    }
    EXPECT_TRUE(next == stored_.end()) << next->first << " is missing";
  }

  TemporaryDirectory directory_;
  std::map<std::string, Told> told_;
  std::map<Version, std::pair<std::string, char>> stored_;  // Name and operation.
  Version newest_ = 0;                                      // Ever handed out.
  Version newest_before_ = 0;                               // As of the end of the last process.
};

TEST_F(CrashTest, NothingAcknowledgedIsLostAndVersionsOnlyGrow) {
  constexpr size_t kHistory = 300;  // So that rows are dropped, too.
  Random random(static_cast<uint64_t>(getpid()));
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    const int threads = static_cast<int>(1 + random.Below(8));
    ASSERT_NO_FATAL_FAILURE(RunAndKill(round, threads, kHistory, 1 + random.Below(450)));
    // Every third time the writer is the one to clear up what the last one left.
    if (round % 3 != 0) {
      ASSERT_NO_FATAL_FAILURE(Check(kHistory));
    }
  }
  Check(kHistory);
  EXPECT_GT(stored_.size(), static_cast<size_t>(kRounds));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
