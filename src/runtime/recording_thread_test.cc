// Recordings on a thread of their own: rotation, and what happens when the disk is full.
#include "runtime/recording_thread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <string>
#include <vector>

#include "scheduler/recording/recording_testing.h"
#include "testing/object_builders.h"
#include "testing/temporary_directory.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using scheduler::recording::DecisionsRecord;
using scheduler::recording::DefaultHeader;
using scheduler::recording::Record;
using Kind = scheduler::recording::RecordingEnd::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RecordingThreadTest : public ::testing::Test {
 protected:
  // Records the numbers from `first` to `last`, each as the number of pods tried.
  std::unique_ptr<RecordingThread> RecordNumbers(RecordingOptions options, uint64_t first,
                                                 uint64_t last, uint64_t seed = 7) {
    options.path = path_;
    options.on_failure = [this](const std::string& reason) { failures_.push_back(reason); };
    auto recording = Require(RecordingThread::Start(DefaultHeader(seed), std::move(options)));
    for (uint64_t i = first; i <= last; ++i) recording->Append(DecisionsRecord{i, {}});
    recording->Close();
    return recording;
  }
  static std::vector<uint64_t> NumbersIn(scheduler::recording::RecordReader& reader) {
    std::vector<uint64_t> numbers;
    for (const Record& record : scheduler::recording::AllRecords(reader))
      numbers.push_back(std::get<DecisionsRecord>(record).tried);
    return numbers;
  }
  std::vector<uint64_t> NumbersAt(const std::string& path) {
    return NumbersIn(*Require(OpenRecordingPart(path)));
  }
  bool Exists(const std::string& path) const {
    struct stat status = {};
    return stat(path.c_str(), &status) == 0;
  }

  const TemporaryDirectory files_;
  std::string path_ = files_.path("run.berth");
  std::vector<std::string> failures_;
};

TEST_F(RecordingThreadTest, WritesEverythingBeforeItCloses) {
  const auto recording = RecordNumbers({}, 1, 1000);
  EXPECT_EQ(NumbersAt(path_).size(), 1000u);
  const RecordingCounts counts = recording->counts();
  EXPECT_EQ(counts.records, 1000u);
  EXPECT_EQ(counts.bytes, files_.Read("run.berth").size());
  EXPECT_EQ(counts.parts, 1u);
  EXPECT_EQ(counts.waiting, 0u);
  EXPECT_EQ(counts.lost, 0u);
  EXPECT_FALSE(counts.failed);
}

// Each part has one record: every file is larger than a byte.
TEST_F(RecordingThreadTest, APartThatIsLargeEnoughIsFollowedByTheNext) {
  const auto recording = RecordNumbers({.path = {}, .part_bytes = 1, .files = 10}, 1, 3);
  EXPECT_EQ(recording->counts().parts, 4u) << "the last one has no record yet";
  EXPECT_THAT(NumbersAt(path_ + ".3"), ElementsAre(1));
  EXPECT_THAT(NumbersAt(path_ + ".1"), ElementsAre(3));
  const auto whole = Require(OpenRecording(path_));
  EXPECT_THAT(NumbersIn(*whole), ElementsAre(1, 2, 3));
  EXPECT_EQ(whole->end().kind, Kind::kClosed);
  EXPECT_EQ(whole->end().records, 3u);
  // From the first part to the one that is named.
  EXPECT_THAT(NumbersIn(*Require(OpenRecording(path_ + ".2"))), ElementsAre(1, 2));
}

TEST_F(RecordingThreadTest, KeepsNoMoreFilesThanItMay) {
  RecordNumbers({.path = {}, .part_bytes = 1, .files = 3}, 1, 9);
  EXPECT_TRUE(Exists(path_ + ".2"));
  EXPECT_FALSE(Exists(path_ + ".3"));
  EXPECT_THAT(NumbersAt(path_ + ".1"), ElementsAre(9));
  const auto whole = OpenRecording(path_);
  ASSERT_FALSE(whole.has_value());
  EXPECT_THAT(whole.error().message,
              HasSubstr("it is part 10 of a recording, and part 7 is not in " + path_ + ".3"));
}

// The recording of a crash is there after the scheduler was started again.
TEST_F(RecordingThreadTest, LeavesTheRecordingOfTheRunBefore) {
  RecordNumbers({.path = {}, .part_bytes = 0, .files = 2}, 1, 1, 7);
  RecordNumbers({.path = {}, .part_bytes = 0, .files = 2}, 2, 2, 8);
  EXPECT_THAT(NumbersAt(path_ + ".1"), ElementsAre(1));
  EXPECT_THAT(NumbersIn(*Require(OpenRecording(path_))), ElementsAre(2));
  RecordNumbers({.path = {}, .part_bytes = 0, .files = 1}, 3, 3, 9);
  EXPECT_THAT(NumbersAt(path_ + ".1"), ElementsAre(1)) << "one file leaves others alone";
}

TEST_F(RecordingThreadTest, PartsOfAnotherRecordingAreNotRead) {
  RecordNumbers({.path = {}, .part_bytes = 1, .files = 3}, 1, 1, 7);
  RecordNumbers({.path = {}, .part_bytes = 0, .files = 3}, 5, 5, 8);
  ASSERT_EQ(rename(path_.c_str(), (path_ + ".2").c_str()), 0);
  ASSERT_EQ(rename((path_ + ".1").c_str(), path_.c_str()), 0);
  ASSERT_EQ(rename((path_ + ".2").c_str(), (path_ + ".1").c_str()), 0);
  EXPECT_FALSE(OpenRecording(path_).has_value()) << "part 2, and part 1 of another one";
}

TEST_F(RecordingThreadTest, AFullDiskEndsTheRecordingAlone) {
  path_ = "/dev/full";
  const auto recording = RecordNumbers({}, 1, 5);
  EXPECT_THAT(failures_, ElementsAre("/dev/full: No space left on device")) << "said once";
  EXPECT_EQ(recording->failure(), "/dev/full: No space left on device");
  const RecordingCounts counts = recording->counts();
  EXPECT_TRUE(counts.failed);
  EXPECT_EQ(counts.records, 0u);
  EXPECT_EQ(counts.lost, 5u);
  EXPECT_EQ(counts.waiting, 0u);
}

// A limit of the size of files stands for a disk that fills up: a part of the last record fits.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  void (*handler_)(int);
  rlimit before_ = {};
};

TEST_F(RecordingThreadTest, WhatWasWrittenBeforeTheDiskWasFullReplays) {
  uint64_t written = 0;
  {
    const FileSizeLimit limit(8'000);
    written = RecordNumbers({}, 1, 20'000)->counts().records;
  }
  EXPECT_THAT(failures_, ElementsAre(path_ + ": File too large"));
  const auto reader = Require(OpenRecordingPart(path_));
  EXPECT_EQ(NumbersIn(*reader).size(), written);
  EXPECT_GT(written, 100u);
  EXPECT_EQ(reader->end().kind, Kind::kNotClosed) << "no record is cut off";
}

TEST_F(RecordingThreadTest, ADiskThatIsTooSlowEndsTheRecordingAlone) {
  const auto recording =
      RecordNumbers({.path = {}, .part_bytes = 0, .files = 1, .max_waiting = 0}, 1, 2);
  EXPECT_THAT(failures_, ElementsAre(HasSubstr("it is written too slowly: 0 records wait")));
  EXPECT_EQ(recording->counts().lost, 2u);
}

TEST_F(RecordingThreadTest, AFileThatCannotBeCreatedIsAnError) {
  const auto started =
      RecordingThread::Start(DefaultHeader(), {.path = files_.path("missing/run.berth")});
  ASSERT_FALSE(started.has_value());
  EXPECT_THAT(started.error().message, HasSubstr("missing/run.berth: No such file or directory"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
