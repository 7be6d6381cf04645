// Errors of the disk: what was acknowledged stays, nothing else is acknowledged, and reads go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <string>

#include "apiserver/store/faulty_disk_testing.h"
#include "apiserver/store/store_testing.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

struct FaultCase {
  const char* name;
  FaultyDisk::Fault fault;
  const char* reason;
};

class DiskErrorTest : public testing::TestWithParam<FaultCase> {};

// Each write of a batch may be the one that fails: pages of the log, and the copy of the log.
TEST_P(DiskErrorTest, LosesNothingThatWasAcknowledged) {
  for (int after = 0; after < 12; ++after) {
    const TemporaryDirectory directory;
    FaultyDisk disk;
    size_t acknowledged = 0;
    std::string error;
    {
      const auto store = OpenIn(directory);
      disk.Break(GetParam().fault, after);
      while (error.empty() && acknowledged < 200) {
        const std::string name = fmt::format("{:03}", acknowledged);
        const auto created = store->Create(kPods, MakeDraft(name, std::string(5000, 'x')));
        ASSERT_TRUE(created);
        const Status visible = AwaitVisible(*store, (*created)->version);
        if (visible) {
          ++acknowledged;
        } else {
          error = visible.error().message;
        }
      }
      EXPECT_THAT(error, HasSubstr(GetParam().reason));
      EXPECT_THAT(error, HasSubstr("cannot write to " + directory.path("berth.db")));
      // Even if the disk works again: what the failed write has left is unknown.
      disk.Repair();
      EXPECT_EQ(store->health().error().message, error);
      EXPECT_EQ(store->Create(kPods, MakeDraft("more", "")), std::unexpected(WriteError::kFailed));
      EXPECT_EQ(store->Count(kPods), acknowledged) << "the last visible state";
    }
    const auto store = OpenIn(directory);
    EXPECT_GE(store->Count(kPods), acknowledged) << "after " << after << " calls";
    EXPECT_LE(store->Count(kPods), acknowledged + 1) << "after " << after << " calls";
    EXPECT_EQ(store->Get(kPods, Name("more")), nullptr);
    ASSERT_TRUE(store->Create(kPods, MakeDraft("later", "x")));
    AwaitVisible(*store);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Faults, DiskErrorTest,
    testing::Values(FaultCase{"Full", FaultyDisk::Fault::kFull, "database or disk is full"},
                    FaultCase{"Write", FaultyDisk::Fault::kWrite, "disk I/O error"},
                    FaultCase{"Sync", FaultyDisk::Fault::kSync, "disk I/O error"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// After a failed fsync the kernel considers the pages written. If the next process appended to the
// log, its acknowledged writes would be behind pages that are not on the disk.
TEST(FailedSyncTest, TheNextStartWritesTheLogAgain) {
  const TemporaryDirectory directory;
  FaultyDisk disk;
  {
    const auto store = OpenIn(directory);
    ASSERT_TRUE(store->Create(kPods, MakeDraft("a", "x")));
    AwaitVisible(*store);
    disk.Break(FaultyDisk::Fault::kSync);
    ASSERT_TRUE(store->Create(kPods, MakeDraft("b", "x")));
    EXPECT_FALSE(AwaitVisible(*store, 2));
    disk.Repair();
  }
  disk.TakeCalls();
  const auto store = OpenIn(directory);
  ASSERT_TRUE(store->Create(kPods, MakeDraft("c", "x")));
  AwaitVisible(*store);
  const std::vector<std::string> calls = disk.TakeCalls();
  const auto copied = std::ranges::find(calls, "sync berth.db");
  const auto emptied = std::ranges::find(calls, "truncate berth.db-wal");
  const auto appended = std::ranges::find(calls, "write berth.db-wal");
  EXPECT_LT(copied - calls.begin(), emptied - calls.begin());
  EXPECT_LT(emptied - calls.begin(), appended - calls.begin());
  EXPECT_NE(appended, calls.end());
}

// Creates objects until a write fails; returns the number of acknowledged writes. Exits if the
// error does not end with `reason` or the acknowledged writes cannot be read.
size_t FillTheDisk(const std::string& directory, const std::string& reason) {
  const auto expect = [](bool good, const std::string& what) {
    if (good) return;
    fmt::print(stderr, "unexpected: {}\n", what);
    _exit(1);
  };
  const auto store = OpenStore(std::move(*OpenSqliteJournal(directory)));
  for (size_t written = 0;; ++written) {
    expect(written < 10'000, "the disk never got full");
    const auto created =
        store->Create(kPods, MakeDraft(fmt::format("{:04}", written), std::string(1000, 'x')));
    expect(created.has_value(), "refused");
    const Status status = AwaitVisible(*store, (*created)->version);
    if (status) continue;
    expect(status.error().message ==
               fmt::format("cannot write to {}/berth.db: {}; nothing more is stored until Berth is "
                           "started again",
                           directory, reason),
           status.error().message);
    expect(store->health().error().message == status.error().message, "health");
    expect(store->Create(kPods, MakeDraft("more", "")) == std::unexpected(WriteError::kFailed),
           "a write that was taken");
    expect(store->Count(kPods) == written, "the last visible state");
    return written;
  }
}

// Runs `body` in a child process, since it restricts its environment. Returns the exit code.
int RunInChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns 0 if the acknowledged writes are stored, and at most one other write.
int CheckCount(const std::string& directory, size_t acknowledged) {
  const auto store = OpenStore(std::move(*OpenSqliteJournal(directory)));
  const size_t count = store->Count(kPods);
  return acknowledged > 10 && (count == acknowledged || count == acknowledged + 1) ? 0 : 2;
}

TEST(FullDiskTest, AFileSizeLimitIsReportedAndNothingIsLost) {
  const TemporaryDirectory directory;
  EXPECT_EQ(RunInChild([&] {
              signal(SIGXFSZ, SIG_IGN);
              rlimit small{};
              getrlimit(RLIMIT_FSIZE, &small);
              small.rlim_cur = std::min<rlim_t>(300'000, small.rlim_max);
              setrlimit(RLIMIT_FSIZE, &small);
              const size_t acknowledged =
                  FillTheDisk(directory.path(), "disk I/O error (File too large)");
              small.rlim_cur = small.rlim_max;
              setrlimit(RLIMIT_FSIZE, &small);
              return CheckCount(directory.path(), acknowledged);
            }),
            0);
}

TEST(FullDiskTest, AFullDiskIsReportedAndNothingIsLost) {
  const TemporaryDirectory directory;
  constexpr int kMayNotMount = 77;
  const int code = RunInChild([&] {
    const std::string mounted = directory.path();
    const char* path = mounted.c_str();
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", path, "tmpfs", 0, "size=400k") != 0) {
      return kMayNotMount;
    }
    const size_t acknowledged =
        FillTheDisk(directory.path(), "database or disk is full (No space left on device)");
    if (mount("tmpfs", path, "tmpfs", MS_REMOUNT, "size=4m") != 0) return 3;
    return CheckCount(directory.path(), acknowledged);
  });
  if (code == kMayNotMount) GTEST_SKIP() << "needs the right to mount a small disk";
  EXPECT_EQ(code, 0);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
