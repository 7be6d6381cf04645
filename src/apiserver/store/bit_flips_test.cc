// Every changed bit of a data directory is noticed, or changes nothing: no file with a flipped bit,
// a lost block or a missing end restores other objects than were stored.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "apiserver/store/log_database.h"
#include "apiserver/store/log_row.h"
#include "apiserver/store/store_testing.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver::store {
namespace BERTH_TEST_FILE {

constexpr size_t kPage = 4096;
constexpr const char* kFiles[] = {"berth.db", "berth.db-wal", "acknowledged"};

// Returns everything that the directory restores, or "error: ...".
std::string Describe(const TemporaryDirectory& directory) {
  const auto database = LogDatabase::Open(directory.path());
  if (!database) return "error: " + database.error().message;
  const Recovered recovered = (*database)->Recover();
  std::string text = fmt::format("{} {}\n", recovered.first, recovered.next);
  for (const auto& [name, floor] : recovered.floors) text += fmt::format("{} {}\n", name, floor);
  const Status replayed = (*database)->Replay([&](const JournalEntry& entry) -> Status {
    const Object& object = *entry.object;
    text += fmt::format("{} {} {} {}/{} {} {} {} {}\n", entry.collection, entry.deleted,
                        object.version, object.key.namespace_, object.key.name, object.uid,
                        WriteLabels(object.labels), WriteList(object.fields), object.json);
    return {};
  });
  return replayed ? text : "error: " + replayed.error().message;
}

// Creates objects of several pages and of a few bytes, replaces and deletes some, so that the file
// has inner pages, overflow pages and free pages.
void Fill(Store& store) {
  for (int i = 0; i < 60; ++i) {
    const std::string name = fmt::format("ns/{:02}", i % 40);
    const std::string text(i % 10 == 0 ? 3000 : 100, static_cast<char>('a' + i % 26));
    const ObjectPtr now = store.Get(kPods, Name(name));
    if (now == nullptr) {
      ASSERT_TRUE(store.Create(kPods, MakeDraft(name, text)));
    } else if (i % 3 == 0) {
      ASSERT_TRUE(store.Delete(kPods, now->key, now->version));
    } else {
      ASSERT_TRUE(store.Replace(kPods, MakeDraft(name, text), now->version));
    }
    if (i % 4 == 0) AwaitVisible(store);
  }
  ASSERT_TRUE(store.Create(kNodes, MakeDraft("node", "x")));
  AwaitVisible(store);
}

class BitFlipTest : public testing::Test {
 protected:
  // Flips bits of the file and checks the directory each time; `intact` are the contents of all its
  // files. Flips all bits of the first `dense` bytes of a page, where its structure is, and one bit
  // of every byte that `stride` divides. Returns how many were noticed.
  size_t FlipBits(const std::string& name, const std::map<std::string, std::string>& intact,
                  const std::string& want, size_t dense, size_t stride) {
    const std::string& original = intact.at(name);
    size_t noticed = 0;
    std::string bytes = original;
    for (size_t at = 0; at < bytes.size(); ++at) {
      const bool all = at % kPage < dense;
      if (!all && at % stride != 0) continue;
      for (size_t bit = 0; bit < 8; ++bit) {
        if (!all && bit != at / stride % 8) continue;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        noticed += Check(name, bytes, intact, want, fmt::format("byte {}, bit {}", at, bit));
        bytes[at] = original[at];
        if (HasFailure()) return noticed;
      }
    }
    return noticed;
  }

  // Writes the files, with `bytes` as the content of `name`. Returns 1 if they give an error, which
  // must name the database.
  size_t Check(const std::string& name, std::string_view bytes,
               const std::map<std::string, std::string>& intact, const std::string& want,
               const std::string& what) {
    Restore(intact);
    directory_.Write(name, bytes);
    const std::string got = Describe(directory_);
    if (got == want) return 0;
    EXPECT_TRUE(got.starts_with("error: " + directory_.path("berth.db")))
        << what << ": " << got.substr(0, 1000);
    return 1;
  }

  void Restore(const std::map<std::string, std::string>& contents) const {
    for (const char* file : kFiles) std::filesystem::remove(directory_.path(file));
    for (const auto& [file, content] : contents) directory_.Write(file, content);
  }
  std::map<std::string, std::string> ReadAll() const {
    std::map<std::string, std::string> contents;
    for (const char* file : kFiles) {
      if (std::filesystem::exists(directory_.path(file))) contents[file] = directory_.Read(file);
    }
    return contents;
  }

  TemporaryDirectory directory_;
};

TEST_F(BitFlipTest, OfAFileThatWasClosedCleanly) {
  Fill(*OpenIn(directory_, 10));
  const auto intact = ReadAll();
  ASSERT_FALSE(intact.contains("berth.db-wal"));
  const std::string want = Describe(directory_);
  ASSERT_TRUE(want.ends_with("}\n"));
  EXPECT_GT(FlipBits("berth.db", intact, want, 16, 41), 1000U);
}

TEST_F(BitFlipTest, OfAFileWithLostOrSwappedBlocks) {
  Fill(*OpenIn(directory_, 10));
  const auto intact = ReadAll();
  const std::string want = Describe(directory_);
  const std::string& original = intact.at("berth.db");
  const size_t pages = original.size() / kPage;
  ASSERT_GT(pages, 8U);
  size_t noticed = 0;
  for (size_t page = 0; page < pages; ++page) {
    for (size_t block = 0; block < kPage; block += 512) {
      std::string bytes = original;
      bytes.replace(page * kPage + block, 512, 512, '\0');
      noticed += Check("berth.db", bytes, intact, want, fmt::format("zeros in page {}", page));
    }
    const std::string_view shorter(original.data(), page * kPage + kPage / 2);
    noticed += Check("berth.db", shorter, intact, want, fmt::format("up to page {}", page));
    for (size_t other = page + 1; other < pages; ++other) {
      std::string bytes = original;
      bytes.replace(page * kPage, kPage, original, other * kPage, kPage);
      bytes.replace(other * kPage, kPage, original, page * kPage, kPage);
      noticed +=
          Check("berth.db", bytes, intact, want, fmt::format("pages {} and {}", page, other));
    }
  }
  EXPECT_GT(noticed, pages * pages / 2);
}

// What a killed process leaves: most of the data is in the write-ahead log.
TEST_F(BitFlipTest, OfTheLogAfterAKill) {
  std::map<std::string, std::string> intact;
  {
    const auto store = OpenIn(directory_, 1000);
    Fill(*store);
    intact = ReadAll();
  }
  ASSERT_GT(intact.at("berth.db-wal").size(), 10 * kPage);
  Restore(intact);
  const std::string want = Describe(directory_);
  ASSERT_TRUE(want.ends_with("}\n")) << want.substr(0, 1000);
  const std::string& log = intact.at("berth.db-wal");
  EXPECT_EQ(FlipBits("berth.db-wal", intact, want, 0, 101), (log.size() + 100) / 101);
  EXPECT_EQ(FlipBits("berth.db", intact, want, 8, 401), 0U) << "the log has all pages";

  for (size_t size = 0; size < log.size(); size += kPage / 2) {
    Check("berth.db-wal", log.substr(0, size), intact, want, fmt::format("{} bytes of log", size));
  }
  const std::string file = intact.at("berth.db");
  intact.erase("berth.db-wal");
  EXPECT_EQ(Check("berth.db", file, intact, want, "no log"), 1U);
}

TEST_F(BitFlipTest, OfTheMarkChangesNothing) {
  Fill(*OpenIn(directory_, 10));
  const auto intact = ReadAll();
  const std::string want = Describe(directory_);
  std::string bytes = intact.at("acknowledged");
  ASSERT_GT(bytes.size(), 40U);
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      EXPECT_EQ(Check("acknowledged", bytes, intact, want, fmt::format("byte {}", at)), 0U);
      bytes[at] = intact.at("acknowledged")[at];
    }
  }
}

// The log of another database that has the same tables and versions.
TEST_F(BitFlipTest, TheLogOfAnotherDatabaseIsNoticed) {
  std::map<std::string, std::string> intact;
  {
    const auto store = OpenIn(directory_);
    Fill(*store);
    intact = ReadAll();
  }
  const TemporaryDirectory other;
  const auto store = OpenIn(other);
  Fill(*store);
  EXPECT_EQ(Check("berth.db-wal", other.Read("berth.db-wal"), intact, "", "another log"), 1U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::store
