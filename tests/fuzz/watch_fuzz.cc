// Arbitrary bytes as a watch or a list, in JSON and protobuf and in pieces of any size. The events
// do not depend on the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "client/watch_events.h"
#include "client/watch_frames.h"

namespace {

using berth::client::CodecOf;
using berth::client::ObjectCodec;
using berth::client::WatchFrames;
using berth::client::WireForm;

std::vector<std::string> Split(WireForm form, std::string_view bytes, size_t step) {
  std::vector<std::string> frames;
  WatchFrames splitter(form);
  while (!bytes.empty()) {
    splitter.Add(bytes.substr(0, step));
    bytes.remove_prefix(std::min(step, bytes.size()));
    while (true) {
      const auto frame = splitter.Next();
      if (!frame) {
        CHECK(!frame.error().message.empty());
        return frames;
      }
      if (!*frame) break;
      frames.emplace_back(**frame);
    }
  }
  return frames;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const WireForm form = data[0] % 2 == 0 ? WireForm::kJson : WireForm::kProtobuf;
  const size_t step = 1 + data[1] % 16;
  const std::string bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const auto frames = Split(form, bytes, bytes.size() + 1);
  CHECK(frames == Split(form, bytes, step));
  for (const ObjectCodec& codec : {CodecOf<berth::api::Pod>(), CodecOf<berth::api::Node>()}) {
    for (const std::string& frame : frames) {
      const auto event = berth::client::ReadWatchEvent(frame, form, codec);
      if (!event) CHECK(!event.error().message.empty());
    }
    const auto page = berth::client::ReadListPage(bytes, form, codec);
    if (!page) CHECK(!page.error().message.empty());
  }
  berth::client::ReadServerStatus(500, bytes, form);
  return 0;
}
