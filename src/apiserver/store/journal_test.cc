// The SQLite journal: restarts after a clean and an unclean exit, damaged files, full disks.
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

#include "apiserver/store/log_database.h"
#include "apiserver/store/sqlite.h"
#include "apiserver/store/store_testing.h"
#include "base/random.h"
#include "testing/await.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

std::unique_ptr<Store> OpenIn(const TemporaryDirectory& directory, size_t history = 1000,
                              Version first_version = 1, Version reserve = 1 << 20) {
  auto journal = OpenSqliteJournal(directory.path(), reserve);
  EXPECT_TRUE(journal) << journal.error().message;
  return OpenStore(std::move(*journal), history, first_version);
}

void AwaitVisible(Store& store) {
  std::promise<Status> visible;
  store.WhenVisible(store.version(), [&](Status status) { visible.set_value(std::move(status)); });
  const Status status = Await(visible);
  ASSERT_TRUE(status) << status.error().message;
}

int64_t CountRows(const TemporaryDirectory& directory) {
  const auto database = Database::Open(directory.path() + "/berth.db");
  return (*database)->QueryInteger("SELECT count(*) FROM log").value();
}

TEST(SqliteJournalTest, ARestartRestoresStateHistoryAndVersions) {
  const TemporaryDirectory directory;
  {
    const auto store = OpenIn(directory, 1000, 500);
    EXPECT_EQ(store->version(), 499U);
    Draft draft = MakeDraft("ns/a", "x");
    draft.object.labels = {{"app", "web, or: so"}, {"empty", ""}};
    draft.object.fields = {"", "Running", "5:five,"};
    ASSERT_TRUE(store->Create(kPods, draft));                         // 500
    ASSERT_TRUE(store->Create(kNodes, MakeDraft("n", "\xc3\xa9")));   // 501
    ASSERT_TRUE(store->Create(kPods, MakeDraft("ns/b", "x")));        // 502
    ASSERT_TRUE(store->Replace(kPods, MakeDraft("ns/b", "y"), 502));  // 503
    ASSERT_TRUE(store->Delete(kPods, Name("ns/b"), 503));             // 504
    ASSERT_TRUE(store->Create(kPods, MakeDraft("ns/b", "again")));    // 505
  }
  for (int restart = 0; restart < 2; ++restart) {
    const auto store = OpenIn(directory);
    EXPECT_EQ(store->version(), 505U) << "closed properly: no version is skipped";
    EXPECT_THAT(Show(store->List(kPods, {}).objects), ElementsAre("ns/a@500=x", "ns/b@505=again"));
    EXPECT_THAT(Show(store->List(kNodes, {}).objects), ElementsAre("/n@501=\xc3\xa9"));
    const ObjectPtr a = store->Get(kPods, Name("ns/a"));
    EXPECT_THAT(a->labels,
                ElementsAre(testing::Pair("app", "web, or: so"), testing::Pair("empty", "")));
    EXPECT_THAT(a->fields, ElementsAre("", "Running", "5:five,"));
    EXPECT_EQ(a->uid, "uid-ns/a");
    EXPECT_EQ(a->version_at, 6U);
    EXPECT_THAT(Read(*store->Watch(kPods, 500, nullptr)),
                ElementsAre("+ns/b@502=x", "~ns/b@503=y was ns/b@502=x",
                            "-ns/b@504=y was ns/b@503=y", "+ns/b@505=again"));
    EXPECT_THAT(Show(store->List(kPods, {.at = 503}).objects),
                ElementsAre("ns/a@500=x", "ns/b@503=y"));
    EXPECT_THAT(Read(*store->Watch(kPods, 498, nullptr)), ElementsAre("expired"));
  }
  const auto store = OpenIn(directory);
  EXPECT_EQ(Show(**store->Create(kPods, MakeDraft("ns/c", "x"))), "ns/c@506=x");
}

TEST(SqliteJournalTest, WatchesResumeAfterARestart) {
  const TemporaryDirectory directory;
  Version seen = 0;
  {
    const auto store = OpenIn(directory);
    ASSERT_TRUE(store->Create(kPods, MakeDraft("a", "x")));
    seen = store->version();
    ASSERT_TRUE(store->Create(kPods, MakeDraft("b", "x")));
  }
  const auto store = OpenIn(directory);
  const auto cursor = store->Watch(kPods, seen, nullptr);
  ASSERT_TRUE(store->Create(kPods, MakeDraft("c", "x")));
  AwaitVisible(*store);
  EXPECT_THAT(Read(*cursor), ElementsAre("+/b@2=x", "+/c@3=x"));
}

TEST(SqliteJournalTest, AnEmptyStoreRetainsItsFirstVersion) {
  const TemporaryDirectory directory;
  OpenIn(directory, 1000, 700);
  const auto store = OpenIn(directory);
  EXPECT_EQ(store->version(), 699U);
  EXPECT_THAT(Read(*store->Watch(kPods, 698, nullptr)), ElementsAre("expired"));
  EXPECT_THAT(Read(*store->Watch(kPods, 699, nullptr)), IsEmpty());
}

TEST(SqliteJournalTest, AfterAnUncleanExitReservedVersionsAreSkipped) {
  const TemporaryDirectory directory;
  {
    auto database = LogDatabase::Open(directory.path());
    ASSERT_TRUE(database) << database.error().message;
    ASSERT_TRUE((*database)->Start(1, 101));
    const ObjectPtr object = OpenStore()->Create(kPods, MakeDraft("a", "x")).value();
    ASSERT_TRUE((*database)->Write({{{"pods", false, object}}}, {}, {}));
  }
  const auto store = OpenIn(directory);
  EXPECT_EQ(store->version(), 100U);
  EXPECT_THAT(Show(store->List(kPods, {}).objects), ElementsAre("/a@1=x"));
  EXPECT_THAT(Read(*store->Watch(kPods, 0, nullptr)), ElementsAre("+/a@1=x"));
  EXPECT_THAT(Show(**store->Create(kPods, MakeDraft("b", "x"))), "/b@101=x");
}

TEST(SqliteJournalTest, CompactionRetainsOnlyStateAndHistory) {
  const TemporaryDirectory directory;
  {
    const auto store = OpenIn(directory, 10);
    for (int i = 0; i < 1000; ++i) {
      const std::string name = fmt::format("{:03}", i % 20);
      const ObjectPtr now = store->Get(kPods, Name(name));
      if (now == nullptr) {
        ASSERT_TRUE(store->Create(kPods, MakeDraft(name, "x")));
      } else if (i % 3 == 0) {
        ASSERT_TRUE(store->Delete(kPods, now->key, now->version));
      } else {
        ASSERT_TRUE(store->Replace(kPods, MakeDraft(name, "y"), now->version));
      }
      if (i % 10 == 0) AwaitVisible(*store);
    }
  }
  // 20 objects, ten events, and the rows that the next chunk and the next step will drop.
  EXPECT_LT(CountRows(directory), 400);
  const auto store = OpenIn(directory, 10);
  EXPECT_EQ(Read(*store->Watch(kPods, 990, nullptr)).size(), 10U);
  EXPECT_THAT(Read(*store->Watch(kPods, 989, nullptr)), ElementsAre("expired"));
}

TEST(SqliteJournalTest, ALongerHistoryDoesNotRestoreDroppedEvents) {
  const TemporaryDirectory directory;
  {
    const auto store = OpenIn(directory, 10);
    ASSERT_TRUE(store->Create(kPods, MakeDraft("stays", "x")));  // 1
    for (Version i = 0; i < 500; ++i) {                          // 2 to 1001
      const auto created = store->Create(kPods, MakeDraft("goes", "x"));
      ASSERT_TRUE(created);
      ASSERT_TRUE(store->Delete(kPods, Name("goes"), (*created)->version));
      if (i % 10 == 0) AwaitVisible(*store);
    }
  }
  ASSERT_LT(CountRows(directory), 900) << "nothing was dropped, so nothing is shown";
  const auto store = OpenIn(directory, 100'000);
  EXPECT_THAT(Read(*store->Watch(kPods, 0, nullptr)), ElementsAre("expired"));
  EXPECT_THAT(Read(*store->Watch(kPods, 1, nullptr)), ElementsAre("expired"));
  EXPECT_TRUE(store->List(kPods, {.at = 1}).expired);
  EXPECT_THAT(Show(store->List(kPods, {}).objects), ElementsAre("/stays@1=x"));
  EXPECT_EQ(Read(*store->Watch(kPods, 991, nullptr)).size(), 10U);
}

// Returns the observable state of a store: its objects, and the events and the state of each
// version.
std::vector<std::vector<std::string>> DescribeAll(Store& store, Version versions) {
  std::vector<std::vector<std::string>> all;
  for (const Collection collection : {kPods, kNodes}) {
    all.push_back(Show(store.List(collection, {}).objects));
    for (Version version = 0; version <= versions; ++version) {
      all.push_back(Read(*store.Watch(collection, version, nullptr)));
      all.push_back(Show(store.List(collection, {.at = version}).objects));
    }
  }
  return all;
}

class RestartTest : public testing::TestWithParam<uint64_t> {};

TEST_P(RestartTest, ARestartChangesNothing) {
  const TemporaryDirectory directory;
  Random random(GetParam());
  const size_t history = random.Below(150);
  for (int restart = 0; restart < 3; ++restart) {
    auto store = OpenIn(directory, history, 1, 16);
    for (uint64_t writes = random.Below(200); writes > 0; --writes) {
      const Collection collection = random.Below(5) == 0 ? kNodes : kPods;
      const std::string name = fmt::format("ns/{}", random.Below(10));
      const ObjectPtr now = store->Get(collection, Name(name));
      if (now == nullptr) {
        ASSERT_TRUE(store->Create(collection, MakeDraft(name, "x")));
      } else if (random.Below(2) == 0) {
        ASSERT_TRUE(store->Replace(collection, MakeDraft(name, "y"), now->version));
      } else {
        ASSERT_TRUE(store->Delete(collection, now->key, now->version));
      }
      if (random.Below(20) == 0) AwaitVisible(*store);
    }
    AwaitVisible(*store);
    const Version newest = store->version();
    const auto before = DescribeAll(*store, newest);
    store.reset();
    store = OpenIn(directory, history);
    EXPECT_EQ(store->version(), newest);
    EXPECT_EQ(DescribeAll(*store, newest), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RestartTest, testing::Range<uint64_t>(1, 9));

}  // namespace BERTH_TEST_FILE

// Damaged directories and files give a clear error and lose no data.
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

// Returns the error of opening a store there; empty if it succeeds.
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

  TemporaryDirectory directory_;
  std::string file_ = directory_.path() + "/berth.db";
};

TEST_F(BrokenJournalTest, AnIntactDatabaseOpens) { EXPECT_EQ(ErrorOf(directory_.path()), ""); }

TEST_F(BrokenJournalTest, DetectsAChangedByteOfAnObject) {
  std::string contents = Contents();
  contents[contents.find("text-042-") + 500] = 'y';
  Overwrite(contents);
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ + " is damaged: the entry of version 43 (pods ns/042) is not as it was written");
}

TEST_F(BrokenJournalTest, DetectsALostRowOfADeletedObject) {
  {
    const auto store = OpenStore(std::move(*OpenSqliteJournal(directory_.path())));
    ASSERT_TRUE(store->Delete(kPods, Name("ns/007"), 8));
  }
  Execute("DELETE FROM log WHERE version = 8");
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ + " is damaged: version 101 deletes \"ns/007\" of \"pods\", which is not there");
}

TEST_F(BrokenJournalTest, DetectsATruncatedFile) {
  const std::string contents = Contents();
  Overwrite(contents.substr(0, contents.size() / 2));
  EXPECT_THAT(ErrorOf(directory_.path()), HasSubstr(file_ + " is damaged: "));
}

TEST_F(BrokenJournalTest, DetectsAnEmptyFileWithALog) {
  std::ofstream(file_ + "-wal") << "something";
  Overwrite("");
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ + " is damaged: it is empty, but " + file_ + "-wal is not");
}

TEST_F(BrokenJournalTest, DetectsOverwrittenPages) {
  std::string contents = Contents();
  for (size_t at = 4096; at < contents.size(); ++at) contents[at] = static_cast<char>(at * 7);
  Overwrite(contents);
  EXPECT_THAT(ErrorOf(directory_.path()), HasSubstr(file_ + " is damaged: "));
}

TEST_F(BrokenJournalTest, DetectsAFileThatIsNotADatabase) {
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

TEST_F(BrokenJournalTest, LocksTheDirectory) {
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
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/some/where/";
  EXPECT_EQ(ErrorOf(path), "");
  EXPECT_TRUE(std::filesystem::exists(path + "berth.db"));
}

TEST(DirectoryTest, ErrorsNameAFileInTheWay) {
  const TemporaryDirectory directory;
  const std::string file = directory.path() + "/file";
  std::ofstream(file) << "x";
  EXPECT_EQ(ErrorOf(file), "cannot create directory " + file + ": File exists");
  EXPECT_EQ(ErrorOf(file + "/sub"), "cannot create directory " + file + ": File exists");
  std::filesystem::create_directories(directory.path() + "/data/berth.db");
  EXPECT_EQ(ErrorOf(directory.path() + "/data"),
            "cannot open " + directory.path() + "/data/berth.db: Is a directory");
}

TEST(DirectoryTest, ErrorsNameAnUnwritableDirectory) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const TemporaryDirectory directory;
  std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_read);
  EXPECT_EQ(ErrorOf(directory.path()),
            "cannot open " + directory.path() + "/lock: Permission denied");
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
    std::promise<Status> visible;
    store->WhenVisible((*created)->version, [&](const Status& s) { visible.set_value(s); });
    std::future<Status> future = visible.get_future();
    expect(future.wait_for(kAwaitLimit) == std::future_status::ready, "neither stored nor failed");
    const Status status = future.get();
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

TEST(LogRowTest, ListsRoundTrip) {
  const std::vector<std::vector<std::string>> lists = {
      {}, {""}, {"", ""}, {"a"}, {"3:abc,", ","}, {std::string("\0x", 2), "\xff"}};
  for (const auto& list : lists) EXPECT_EQ(ReadList(WriteList(list)), list);
}

TEST(LogRowTest, RejectsMalformedLists) {
  for (const char* bad : {"x", "1", "1:", "1:a", "2:a,", "1:ab", "-1:a,", "1a,", ":,",
                          "99999999999999999999:a,", "18446744073709551615:a,", "1:a,x"}) {
    EXPECT_EQ(ReadList(bad), std::nullopt) << bad;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
