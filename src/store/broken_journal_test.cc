// Directories and files that are not as they should be: each gives a clear error, none loses data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <future>
#include <iterator>
#include <string>

#include "store/log_row.h"
#include "store/sqlite.h"
#include "store/testing.h"

namespace berth::store {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

// What opening a store there says; empty if it works.
std::string ErrorOf(const std::string& directory) {
  auto journal = OpenSqliteJournal(directory);
  if (!journal) return journal.error().message;
  StoreOptions options;
  options.collections = {"pods", "nodes"};
  const auto store = Store::Open(options, std::move(*journal));
  return store ? "" : store.error().message;
}

class BrokenJournalTest : public testing::Test {
 protected:
  // A hundred objects in the database.
  void SetUp() override {
    const auto store = OpenStore(std::move(*OpenSqliteJournal(directory_.path())));
    for (int i = 0; i < 100; ++i) {
      const std::string text = fmt::format("text-{:03}-", i) + std::string(1000, 'x');
      ASSERT_TRUE(store->Create(kPods, MakeDraft(fmt::format("ns/{:03}", i), text)));
    }
  }
  std::string Contents() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void Overwrite(const std::string& contents) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << contents;
  }
  void Execute(const char* sql) const { ASSERT_TRUE((*Database::Open(file_))->Execute(sql)); }

  TempDirectory directory_;
  std::string file_ = directory_.path() + "/berth.db";
};

TEST_F(BrokenJournalTest, NothingIsWrongYet) { EXPECT_EQ(ErrorOf(directory_.path()), ""); }

TEST_F(BrokenJournalTest, AChangedByteOfAnObjectIsFound) {
  std::string contents = Contents();
  contents[contents.find("text-042-") + 500] = 'y';
  Overwrite(contents);
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ + " is damaged: the entry of version 43 (pods ns/042) is not as it was written");
}

TEST_F(BrokenJournalTest, ALostRowOfADeletedObjectIsFound) {
  {
    const auto store = OpenStore(std::move(*OpenSqliteJournal(directory_.path())));
    ASSERT_TRUE(store->Delete(kPods, Name("ns/007"), 8));
  }
  Execute("DELETE FROM log WHERE version = 8");
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ + " is damaged: version 101 deletes \"ns/007\" of \"pods\", which is not there");
}

TEST_F(BrokenJournalTest, ATruncatedFileIsFound) {
  const std::string contents = Contents();
  Overwrite(contents.substr(0, contents.size() / 2));
  EXPECT_THAT(ErrorOf(directory_.path()), HasSubstr(file_ + " is damaged: "));
}

TEST_F(BrokenJournalTest, AnEmptyFileWithALogIsFound) {
  std::ofstream(file_ + "-wal") << "something";
  Overwrite("");
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ + " is damaged: it is empty, but " + file_ + "-wal is not");
}

TEST_F(BrokenJournalTest, OverwrittenPagesAreFound) {
  std::string contents = Contents();
  for (size_t at = 4096; at < contents.size(); ++at) contents[at] = static_cast<char>(at * 7);
  Overwrite(contents);
  EXPECT_THAT(ErrorOf(directory_.path()), HasSubstr(file_ + " is damaged: "));
}

TEST_F(BrokenJournalTest, AFileThatIsNoDatabaseIsFound) {
  Overwrite("apiVersion: v1\nkind: Pod\n" + std::string(5000, '#'));
  EXPECT_EQ(ErrorOf(directory_.path()), file_ + " is damaged: file is not a database");
}

TEST_F(BrokenJournalTest, AnotherProgramsDatabaseIsLeftAlone) {
  Execute("PRAGMA application_id = 7");
  EXPECT_EQ(ErrorOf(directory_.path()), file_ + " is a database of another program, not of Berth");
}

TEST_F(BrokenJournalTest, ANewerFormatIsLeftAlone) {
  Execute("PRAGMA user_version = 2");
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ +
                " was written by a newer version of Berth: its format is 2, and this version "
                "knows 1");
}

TEST_F(BrokenJournalTest, TwoCannotHaveTheSameDirectory) {
  const std::string error =
      "directory " + directory_.path() + " is in use by another berth process";
  {
    const auto store = OpenStore(std::move(*OpenSqliteJournal(directory_.path())));
    EXPECT_EQ(ErrorOf(directory_.path()), error);
    EXPECT_EQ(ErrorOf(directory_.path() + "/"), error);
  }
  EXPECT_EQ(ErrorOf(directory_.path()), "");
}

TEST(DirectoryTest, IsCreatedWithItsParents) {
  const TempDirectory directory;
  const std::string path = directory.path() + "/some/where/";
  EXPECT_EQ(ErrorOf(path), "");
  EXPECT_TRUE(std::filesystem::exists(path + "berth.db"));
}

TEST(DirectoryTest, WhatIsInTheWayIsNamed) {
  const TempDirectory directory;
  const std::string file = directory.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_EQ(ErrorOf(file), "cannot create directory " + file + ": File exists");
  EXPECT_EQ(ErrorOf(file + "/sub"), "cannot create directory " + file + ": File exists");
  std::filesystem::create_directories(directory.path() + "/data/berth.db");
  EXPECT_EQ(ErrorOf(directory.path() + "/data"),
            "cannot open " + directory.path() + "/data/berth.db: Is a directory");
}

TEST(DirectoryTest, ThatMayNotBeWrittenIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TempDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_read);
  EXPECT_EQ(ErrorOf(directory.path()),
            "cannot open " + directory.path() + "/lock: Permission denied");
}

// Creates objects until that fails; returns how many were acknowledged. The error must end with
// `reason` and what is known to be stored must still be readable; else ends the process.
size_t FillTheDisk(const std::string& directory, const std::string& reason) {
  const auto expect = [](bool good, const std::string& what) {
    if (good) return;
    fmt::print(stderr, "not as it should be: {}\n", what);
    _exit(1);
  };
  const auto store = OpenStore(std::move(*OpenSqliteJournal(directory)));
  for (size_t written = 0;; ++written) {
    expect(written < 10'000, "the disk never got full");
    const auto created =
        store->Create(kPods, MakeDraft(fmt::format("{:04}", written), std::string(1000, 'x')));
    expect(created.has_value(), "refused");
    std::promise<Status> visible;
    store->WhenVisible((*created)->version, [&](const Status& s) { visible.set_value(s); });
    const Status status = visible.get_future().get();
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

// Runs `story` in a process of its own, since it makes the world small. Its exit code is returned.
int RunApart(const std::function<int()>& story) {
  const pid_t child = fork();
  if (child == 0) _exit(story());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 0 if what was acknowledged is there, and at most one write that was not.
int CheckCount(const std::string& directory, size_t acknowledged) {
  const auto store = OpenStore(std::move(*OpenSqliteJournal(directory)));
  const size_t count = store->Count(kPods);
  return acknowledged > 10 && (count == acknowledged || count == acknowledged + 1) ? 0 : 2;
}

TEST(FullDiskTest, AFileThatMayNotGrowIsToldAndNothingIsLost) {
  const TempDirectory directory;
  EXPECT_EQ(RunApart([&] {
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

TEST(FullDiskTest, AFullDiskIsToldAndNothingIsLost) {
  const TempDirectory directory;
  constexpr int kMayNotMount = 77;
  const int code = RunApart([&] {
    const char* path = directory.path().c_str();
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

TEST(LogRowTest, ListsOfTextsComeBack) {
  const std::vector<std::vector<std::string>> lists = {
      {}, {""}, {"", ""}, {"a"}, {"3:abc,", ","}, {std::string("\0x", 2), "\xff"}};
  for (const auto& list : lists) EXPECT_EQ(ReadList(WriteList(list)), list);
}

TEST(LogRowTest, BadListsAreRefused) {
  for (const char* bad : {"x", "1", "1:", "1:a", "2:a,", "1:ab", "-1:a,", "1a,", ":,",
                          "99999999999999999999:a,", "18446744073709551615:a,", "1:a,x"}) {
    EXPECT_EQ(ReadList(bad), std::nullopt) << bad;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::store
