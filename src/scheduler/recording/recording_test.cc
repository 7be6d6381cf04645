// Recordings as bytes: round trips, and detection of all damage.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler/recording/event_codec.h"
#include "scheduler/recording/recording_testing.h"
#include "testing/object_builders.h"

namespace berth::scheduler::recording {
namespace BERTH_TEST_FILE {

using Kind = RecordingEnd::Kind;

constexpr Instant kNoon = Instant::FromUnixSeconds(1'767'268'800);

std::vector<Record> OneOfEachKind() {
  return {
      HandleCall{kNoon, engine::ObjectPut{MakeNode("n1").ref()}},
      HandleCall{kNoon + Duration::Millis(1), engine::ObjectPut{MakePod("web").ref()}},
      ScheduleCall{kNoon + Duration::Seconds(1), UINT64_MAX},
      DecisionsRecord{1, {R"({"pod":"default/web","outcome":"placed","node":"n1"})"}},
      CommandsRecord{{"first", "second"}}, CommandsRecord{},
      // Times may go backwards and have any value.
      HandleCall{kNoon, engine::WriteDone{engine::CommandId{0},
                                          {framework::WriteResult::Kind::kConflict, "no", "7"}}},
      ScheduleCall{Instant{INT64_MIN}, 0}, ScheduleCall{Instant{INT64_MAX}, 17}, DecisionsRecord{},
      HandleCall{Instant{-1}, engine::ObjectDeleted{MakePod("web").ref()}}};
}

TEST(Recording, EveryKindOfRecordRoundTrips) {
  const std::vector<Record> written = OneOfEachKind();
  const RecordingHeader header{"a program", "a configuration", UINT64_MAX};
  const auto reader = MustOpen(RecordingOf(written, header));
  EXPECT_EQ(reader->header(), header);
  const std::vector<Record> read = AllRecords(*reader);
  ASSERT_EQ(read.size(), written.size());
  for (size_t i = 0; i < read.size(); ++i) EXPECT_EQ(BytesOf(read[i]), BytesOf(written[i])) << i;
  EXPECT_EQ(std::get<ScheduleCall>(read[2]), std::get<ScheduleCall>(written[2]));
  EXPECT_EQ(std::get<DecisionsRecord>(read[3]), std::get<DecisionsRecord>(written[3]));
  EXPECT_EQ(std::get<CommandsRecord>(read[4]), std::get<CommandsRecord>(written[4]));
  EXPECT_EQ(std::get<HandleCall>(read[6]).now, kNoon);
  EXPECT_EQ(reader->end().kind, Kind::kClosed);
  EXPECT_EQ(reader->end().ToString(), "complete, 11 records");
}

TEST(Recording, FeatureGatesRoundTrip) {
  const RecordingHeader plain{"a program", "a configuration", 7};
  RecordingHeader gated = plain;
  gated.features.scheduler_async_preemption = false;
  gated.features.volume_limit_scaling = true;
  EXPECT_EQ(DecodeHeader(EncodeHeader(gated)), gated);
  EXPECT_TRUE(EncodeHeader(gated).starts_with(EncodeHeader(plain)))
      << "gates with their defaults are not written";
}

TEST(Recording, AnUnknownFeatureGateIsAnError) {
  RecordingHeader header{"a program", "a configuration", 7};
  header.features.volume_limit_scaling = true;
  std::string bytes = EncodeHeader(header);
  bytes[bytes.find("VolumeLimit")] = 'X';
  const auto decoded = DecodeHeader(bytes);
  ASSERT_FALSE(decoded.has_value());
  EXPECT_EQ(decoded.error().message,
            "feature gate XolumeLimitScaling, which this build does not support");
}

TEST(Recording, BothClocksRoundTrip) {
  const Duration hour = Duration::Seconds(3600);
  const std::vector<ScheduleCall> written = {
      {kNoon},
      {{kNoon + Duration::Seconds(1), kNoon - hour}},
      {{kNoon + Duration::Seconds(2), kNoon - hour + Duration::Seconds(1)}},
      {{kNoon + Duration::Seconds(3), kNoon + Duration::Seconds(3)}},
      {{Instant{INT64_MIN}, Instant{INT64_MAX}}},
      {{Instant{INT64_MAX}, Instant{INT64_MIN}}}};
  const auto reader = MustOpen(RecordingOf({written.begin(), written.end()}));
  const std::vector<Record> read = AllRecords(*reader);
  ASSERT_EQ(read.size(), written.size());
  for (size_t i = 0; i < read.size(); ++i) EXPECT_EQ(std::get<ScheduleCall>(read[i]), written[i]);
}

// As it was when there was one clock, so that such recordings can be read.
TEST(Recording, TheSecondClockCostsNothingUntilItIsSet) {
  ByteWriter expected;
  expected.Number(2);
  expected.Signed(kNoon.nanos);
  expected.Number(0);
  EXPECT_EQ(BytesOf(ScheduleCall{kNoon}), std::move(expected).Take());
}

TEST(Recording, MayBeEmpty) {
  const auto reader = MustOpen(RecordingOf({}));
  EXPECT_FALSE(reader->Next().has_value());
  EXPECT_EQ(reader->end().kind, Kind::kClosed);
  EXPECT_EQ(reader->end().records, 0u);
}

// The bytes of a recording that was never closed, and where each record ends in them.
struct OpenRecording {
  std::string bytes;
  std::vector<size_t> ends;  // ends[i]: after i records.
};

OpenRecording MakeOpenRecording() {
  OpenRecording recording;
  RecordWriter writer({"p", "c", 1}, AppendTo(recording.bytes));
  recording.ends.push_back(recording.bytes.size());
  for (const Record& record : OneOfEachKind()) {
    writer.Append(record);
    recording.ends.push_back(recording.bytes.size());
  }
  return recording;
}

TEST(Recording, IsReadableAfterEachRecord) {
  const OpenRecording recording = MakeOpenRecording();
  for (size_t count = 0; count < recording.ends.size(); ++count) {
    const auto reader = MustOpen(recording.bytes.substr(0, recording.ends[count]));
    EXPECT_EQ(AllRecords(*reader).size(), count);
    EXPECT_EQ(reader->end().kind, Kind::kNotClosed);
    EXPECT_EQ(reader->end().ToString(),
              fmt::format("not closed: it ends after record {} at byte {}", count,
                          recording.ends[count]));
  }
}

TEST(Recording, ReportsACutOffTailAndReadsTheRest) {
  const OpenRecording recording = MakeOpenRecording();
  for (size_t count = 1; count < recording.ends.size(); ++count) {
    const size_t before = recording.ends[count - 1];
    for (size_t size = before + 1; size < recording.ends[count]; ++size) {
      const auto reader = MustOpen(recording.bytes.substr(0, size));
      EXPECT_EQ(AllRecords(*reader).size(), count - 1) << size;
      EXPECT_EQ(reader->end().kind, Kind::kCutOff) << size;
      EXPECT_EQ(reader->end().ToString(),
                fmt::format("cut off after record {} at byte {}", count - 1, before));
    }
  }
}

TEST(Recording, ReportsACutOffClosingFrame) {
  const std::string bytes = RecordingOf(OneOfEachKind());
  for (size_t cut = 1; cut < kFrameHeaderSize; ++cut) {
    const auto reader = MustOpen(bytes.substr(0, bytes.size() - cut));
    EXPECT_EQ(AllRecords(*reader).size(), 11u);
    EXPECT_EQ(reader->end().kind, Kind::kCutOff);
  }
}

TEST(Recording, ReportsAFlippedBitWithItsRecord) {
  const OpenRecording recording = MakeOpenRecording();
  for (size_t count = 1; count < recording.ends.size(); ++count) {
    for (size_t at = recording.ends[count - 1]; at < recording.ends[count]; ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string bytes = recording.bytes;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        const auto reader = MustOpen(bytes);
        ASSERT_EQ(AllRecords(*reader).size(), count - 1) << at << ", bit " << bit;
        ASSERT_EQ(reader->end().kind, Kind::kDamaged) << at << ", bit " << bit;
        const std::string description = reader->end().ToString();
        ASSERT_TRUE(description.starts_with(fmt::format("damaged at record {}, byte {}: checksum",
                                                        count, recording.ends[count - 1])))
            << description;
      }
    }
  }
}

TEST(Recording, ReportsAFlippedBitInTheHeader) {
  const OpenRecording recording = MakeOpenRecording();
  for (size_t at = 0; at < recording.ends[0]; ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = recording.bytes;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      EXPECT_FALSE(RecordReader::Open(ReadFrom(bytes)).has_value()) << at << ", bit " << bit;
    }
  }
}

TEST(Recording, ReportsAFlippedBitInTheClosingFrame) {
  const std::string good = RecordingOf(OneOfEachKind());
  for (size_t at = good.size() - kFrameHeaderSize; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      const auto reader = MustOpen(bytes);
      EXPECT_EQ(AllRecords(*reader).size(), 11u);
      EXPECT_EQ(reader->end().kind, Kind::kDamaged) << at << ", bit " << bit;
    }
  }
}

TEST(Recording, ReportsAMissingRecord) {
  const OpenRecording recording = MakeOpenRecording();
  std::string bytes = RecordingOf(OneOfEachKind(), {"p", "c", 1});
  bytes.erase(recording.ends[10], recording.ends[11] - recording.ends[10]);
  const auto reader = MustOpen(bytes);
  EXPECT_EQ(AllRecords(*reader).size(), 10u);
  EXPECT_EQ(reader->end().ToString(),
            fmt::format("damaged at record 11, byte {}: 11 records expected", recording.ends[10]));
}

TEST(Recording, ReportsTrailingData) {
  const auto reader = MustOpen(RecordingOf(OneOfEachKind()) + "x");
  EXPECT_EQ(AllRecords(*reader).size(), 11u);
  EXPECT_EQ(reader->end().kind, Kind::kDamaged);
  EXPECT_EQ(reader->end().why, "trailing data");
}

struct BeginningCase {
  const char* name;
  std::string bytes;
  std::string error;
};

class BadBeginnings : public testing::TestWithParam<BeginningCase> {};

TEST_P(BadBeginnings, AreRefused) {
  const auto reader = RecordReader::Open(ReadFrom(GetParam().bytes));
  ASSERT_FALSE(reader.has_value());
  EXPECT_EQ(reader.error().message, GetParam().error);
}

constexpr const char* kNotARecording =
    "not a recording: it does not start with \"BERTHREC\" and a version";

INSTANTIATE_TEST_SUITE_P(
    All, BadBeginnings,
    testing::Values(BeginningCase{"Nothing", "", kNotARecording},
                    BeginningCase{"Text", "apiVersion: v1\nkind: Pod\n", kNotARecording},
                    BeginningCase{"OnlyTheName", "BERTHREC", kNotARecording},
                    BeginningCase{"AnotherVersion", std::string("BERTHREC\x01\0\0\0", 12),
                                  "its format is 1, which no release of Berth wrote; this version "
                                  "reads 3 to 3"},
                    BeginningCase{"ANewerVersion", std::string("BERTHREC\x04\0\0\0", 12),
                                  "was written by a newer version of Berth: its format is 4, and "
                                  "this version reads up to 3"},
                    BeginningCase{"NoHeader", std::string("BERTHREC\x03\0\0\0", 12),
                                  "the header of the recording is cut off"},
                    BeginningCase{"HalfAHeader", RecordingOf({}).substr(0, 40),
                                  "the header of the recording is cut off"},
                    BeginningCase{
                        "ZerosForAHeader",
                        std::string("BERTHREC\x03\0\0\0", 12) + std::string(99, '\0'),
                        "the header of the recording is damaged: checksum of the length"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(Recording, ReportsAReadError) {
  const OpenRecording recording = MakeOpenRecording();
  RecordSource source = ReadFrom(recording.bytes);
  size_t left = 12;  // Reads that succeed.
  auto reader = RecordReader::Open([&](std::span<char> into) -> Result<size_t> {
    if (left-- == 0) return Fail("file.berth: Input/output error");
    return source(into);
  });
  ASSERT_TRUE(reader.has_value());
  AllRecords(**reader);
  EXPECT_EQ((*reader)->end().kind, Kind::kFailed);
  EXPECT_EQ((*reader)->end().why, "file.berth: Input/output error");
  EXPECT_FALSE((*reader)->Next().has_value());
}

TEST(Recording, StopsWritingAtTheFirstError) {
  size_t calls = 0;
  RecordWriter writer(DefaultHeader(), [&](std::string_view) -> Status {
    if (++calls == 4) return Fail("file.berth: No space left on device");
    return {};
  });
  for (const Record& record : OneOfEachKind()) writer.Append(record);
  writer.Close();
  EXPECT_EQ(calls, 4u);
  EXPECT_EQ(writer.records(), 1u);
  ASSERT_FALSE(writer.status().has_value());
  EXPECT_EQ(writer.status().error().message, "file.berth: No space left on device");
}

TEST(Recording, SimilarObjectsCostLittle) {
  std::string bytes;
  RecordWriter writer(DefaultHeader(), AppendTo(bytes));
  auto put = [&](int number) {
    const size_t before = bytes.size();
    api::Pod pod = MakePod(fmt::format("web-{}", number)).Request("cpu", "100m").Label("app", "a");
    writer.Append(HandleCall{kNoon + Duration::Millis(number),
                             engine::ObjectPut{std::make_shared<const api::Pod>(pod)}});
    return bytes.size() - before;
  };
  const size_t first = put(0);
  put(1);
  EXPECT_LT(put(2), first / 2);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::recording
