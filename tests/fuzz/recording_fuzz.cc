// Arbitrary bytes as a recording. Reading ends with a result, and records that are read and written
// again are equal.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "scheduler/recording/recording.h"

namespace {

berth::scheduler::recording::RecordSource SourceOf(std::string_view bytes) {
  return [bytes](std::span<char> into) mutable -> berth::Result<size_t> {
    const size_t count = bytes.copy(into.data(), into.size());
    bytes.remove_prefix(count);
    return count;
  };
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Decodes records directly: the fuzzer cannot find inputs with valid checksums.
  if (auto record = berth::scheduler::recording::RecordCodec().Decode(bytes)) {
    const std::string again = berth::scheduler::recording::RecordCodec().Encode(*record);
    auto same = berth::scheduler::recording::RecordCodec().Decode(again);
    CHECK(same.has_value() && berth::scheduler::recording::RecordCodec().Encode(*same) == again);
  }
  (void)berth::scheduler::recording::Inflater().Decompress(
      bytes, berth::scheduler::recording::kMaxRecordSize);

  auto reader = berth::scheduler::recording::RecordReader::Open(SourceOf(bytes));
  if (!reader) return 0;
  uint64_t count = 0;
  while ((*reader)->Next()) ++count;
  CHECK(count == (*reader)->records() && (*reader)->end().byte <= size);
  CHECK(!(*reader)->end().ToString().empty());
  return 0;
}
