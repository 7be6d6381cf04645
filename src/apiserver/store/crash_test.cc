// Repeatedly kills a process that writes to a store, at random moments: every acknowledged write is
// stored once, and versions only grow.
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

// The logged writes of one object.
struct WriteLog {
  char stored = '-';          // The last operation that is known to be stored: c, r, d or none.
  Version version = 0;        // Its version; 0 if only its effect is known.
  char tried = '-';           // The operation after that, which may be stored or not, if any.
  Version tried_version = 0;  // 0: the writer died before it logged the version.
};

class CrashTest : public testing::Test {
 protected:
  // Runs the writer, kills it after `lines` lines of output, and reads the rest of its output.
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
      ParseLine(line);
      if (--lines == 0) kill(child, SIGKILL);
    }
    std::fclose(output);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    newest_before_ = std::max(newest_before_, newest_);
    ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself: " << WEXITSTATUS(status);
  }

  void ParseLine(const std::string& line) {
    std::istringstream in(line);
    std::string what, name;
    char operation = '-';
    Version version = 0;
    in >> what >> name >> operation >> version;
    WriteLog& log = logs_[name];
    if (what == "will") {
      log.tried = operation;
      log.tried_version = 0;
    } else if (what == "try") {
      EXPECT_GT(version, newest_before_) << "a version was assigned twice: " << line;
      newest_ = std::max(newest_, version);
      log.tried_version = version;
    } else {
      EXPECT_EQ(what, "ack");
      log.tried_version = version;
      NoteStored(name, log);
    }
  }

  // Records that the tried operation is stored.
  void NoteStored(const std::string& name, WriteLog& log) {
    log.stored = std::exchange(log.tried, '-');
    log.version = log.tried_version;
    if (log.version != 0) stored_[log.version] = {name, log.stored};
  }

  // Reports whether `now` is a possible state after the operation; null if there is no object.
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
    for (auto& [name, log] : logs_) {
      const ObjectPtr now = store->Get(kPods, Name(name));
      if (now != nullptr) ++present;
      // A tried write may be stored or not, but this must not change later.
      if (log.tried != '-' && IsAfter(log.tried, log.tried_version, now.get())) {
        if (now != nullptr) log.tried_version = now->version;
        NoteStored(name, log);
      }
      EXPECT_TRUE(IsAfter(log.stored, log.version, now.get()))
          << name << " stored: " << log.stored << log.version << ", tried: " << log.tried
          << log.tried_version << ", is: " << (now != nullptr ? Show(*now).substr(0, 40) : "gone");
      log.tried = '-';
    }
    EXPECT_EQ(store->Count(kPods), present) << "an object exists that was not written";
    CheckHistory(*store);
    newest_before_ = store->version();
  }

  // Checks that the history has every stored version, as far as it reaches back, once and in order.
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
        // The writer died before it logged the version of this deletion.
        EXPECT_TRUE(operation == 'd' && logs_[name].stored == 'd' && logs_[name].version == 0)
            << Show(*event.object).substr(0, 40);
      }
    }
    EXPECT_TRUE(next == stored_.end()) << next->first << " is missing";
  }

  TemporaryDirectory directory_;
  std::map<std::string, WriteLog> logs_;
  std::map<Version, std::pair<std::string, char>> stored_;  // Name and operation.
  Version newest_ = 0;                                      // The newest version ever assigned.
  Version newest_before_ = 0;                               // At the end of the last process.
};

TEST_F(CrashTest, NothingAcknowledgedIsLostAndVersionsOnlyGrow) {
  constexpr size_t kHistory = 300;  // So that rows are dropped, too.
  Random random(static_cast<uint64_t>(getpid()));
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    const int threads = static_cast<int>(1 + random.Below(8));
    ASSERT_NO_FATAL_FAILURE(RunAndKill(round, threads, kHistory, 1 + random.Below(450)));
    // Every third time the next writer, not this process, recovers the store.
    if (round % 3 != 0) {
      ASSERT_NO_FATAL_FAILURE(Check(kHistory));
    }
  }
  Check(kHistory);
  EXPECT_GT(stored_.size(), static_cast<size_t>(kRounds));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
