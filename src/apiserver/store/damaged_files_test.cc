// Damaged directories and files give a clear error and lose no data.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "apiserver/store/sqlite.h"
#include "apiserver/store/store_testing.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

// What the errors advise.
constexpr const char* kAdvice =
    "; restore the directory from a backup, or remove it to start with an empty store";

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
            file_ + " is damaged: the entry of version 43 (pods ns/042) is not as it was written" +
                kAdvice);
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
            file_ + " is damaged: it is empty, but " + file_ + "-wal is not" + kAdvice);
}

TEST_F(BrokenJournalTest, DetectsOverwrittenPages) {
  std::string contents = Contents();
  for (size_t at = 4096; at < contents.size(); ++at) contents[at] = static_cast<char>(at * 7);
  Overwrite(contents);
  EXPECT_THAT(ErrorOf(directory_.path()), HasSubstr(file_ + " is damaged: "));
}

TEST_F(BrokenJournalTest, DetectsAFileThatIsNotADatabase) {
  Overwrite("apiVersion: v1\nkind: Pod\n" + std::string(5000, '#'));
  EXPECT_EQ(ErrorOf(directory_.path()), file_ + " is damaged: file is not a database" + kAdvice);
}

TEST_F(BrokenJournalTest, DetectsALostRow) {
  Execute("DELETE FROM log WHERE version = 8");
  EXPECT_EQ(
      ErrorOf(directory_.path()),
      file_ + " is damaged: it has 99 entries that are not the 100 that were written" + kAdvice);
}

TEST_F(BrokenJournalTest, DetectsTheRowOfAnotherVersion) {
  Execute("UPDATE log SET version = 800 WHERE version = 8");
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ + " is damaged: the entry of version 800 (pods ns/007) is not as it was written" +
                kAdvice);
}

TEST_F(BrokenJournalTest, DetectsChangedTables) {
  const char* statements[] = {
      "UPDATE collections SET floor = 50",
      "UPDATE state SET last = 50",
      "UPDATE state SET first = 50",
      "DELETE FROM state",
      "INSERT INTO state SELECT * FROM state",
      "CREATE VIEW more AS SELECT * FROM log",
      "CREATE TRIGGER late AFTER INSERT ON log BEGIN DELETE FROM log; END",
      "ALTER TABLE log ADD COLUMN extra TEXT",
      "DROP TABLE collections",
      "PRAGMA journal_mode = DELETE",
  };
  const std::string intact = Contents();
  for (const char* sql : statements) {
    Execute(sql);
    EXPECT_THAT(ErrorOf(directory_.path()), HasSubstr(file_ + " is damaged: ")) << sql;
    Overwrite(intact);
  }
  EXPECT_EQ(ErrorOf(directory_.path()), "");
}

TEST_F(BrokenJournalTest, DetectsAnEmptyOrMissingFile) {
  const std::string mark = directory_.path() + "/acknowledged";
  Overwrite("");
  EXPECT_EQ(ErrorOf(directory_.path()), file_ + " is damaged: it is empty, but " + mark +
                                            " is from a store with objects" + kAdvice);
  std::filesystem::remove(file_);
  EXPECT_EQ(ErrorOf(directory_.path()), file_ + " is damaged: it is missing, but " + mark +
                                            " is from a store with objects" + kAdvice);
  std::filesystem::remove(mark);
  EXPECT_EQ(ErrorOf(directory_.path()), "") << "a new store";
}

TEST_F(BrokenJournalTest, DetectsAnOldCopy) {
  const std::string old = Contents();
  {
    const auto store = OpenIn(directory_);
    ASSERT_TRUE(store->Create(kPods, MakeDraft("new", "x")));
  }
  Overwrite(old);
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ +
                " has no writes after version 100, but those up to 101 were acknowledged: it is "
                "an old copy, or " +
                file_ + "-wal is missing or damaged; put back the right files, or remove " +
                directory_.path() + "/acknowledged to continue without these writes");
}

TEST_F(BrokenJournalTest, DetectsTheFileOfAnotherDirectory) {
  const TemporaryDirectory other;
  {
    const auto store = OpenIn(other);
    for (int i = 0; i < 200; ++i) {
      ASSERT_TRUE(store->Create(kPods, MakeDraft(fmt::format("{}", i), "other")));
    }
  }
  std::filesystem::copy_file(other.path("berth.db"), file_,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(ErrorOf(directory_.path()), HasSubstr(" is from another data directory; put back"));
  std::filesystem::remove(directory_.path("acknowledged"));
  EXPECT_EQ(OpenIn(directory_)->Count(kPods), 200U);
}

TEST_F(BrokenJournalTest, ADamagedFileIsNotModified) {
  std::string contents = Contents();
  contents[contents.find("text-042-") + 500] = 'y';
  Overwrite(contents);
  EXPECT_NE(ErrorOf(directory_.path()), "");
  EXPECT_EQ(Contents(), contents);
}

TEST_F(BrokenJournalTest, UpgradesTheFirstFormat) {
  Execute(
      "BEGIN; DROP TABLE state;"
      "CREATE TABLE state (first INTEGER NOT NULL, reserved INTEGER NOT NULL,"
      "                    clean INTEGER NOT NULL);"
      "INSERT INTO state VALUES (1, 101, 1); PRAGMA user_version = 1; COMMIT");
  std::filesystem::remove(directory_.path("acknowledged"));
  for (int start = 0; start < 2; ++start) {
    const auto store = OpenIn(directory_);
    EXPECT_EQ(store->Count(kPods), 100U);
    EXPECT_EQ(store->version(), 100U);
  }
  Execute("DELETE FROM log WHERE version = 8");
  EXPECT_THAT(ErrorOf(directory_.path()), HasSubstr("it has 99 entries that are not the 100"));
}

TEST_F(BrokenJournalTest, AnotherProgramsDatabaseIsLeftAlone) {
  Execute("PRAGMA application_id = 7");
  EXPECT_EQ(ErrorOf(directory_.path()), file_ + " is a database of another program, not of Berth");
}

TEST_F(BrokenJournalTest, ANewerFormatIsLeftAlone) {
  Execute("PRAGMA user_version = 3");
  EXPECT_EQ(ErrorOf(directory_.path()),
            file_ +
                " was written by a newer version of Berth: its format is 3, and this version "
                "knows 2");
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

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
