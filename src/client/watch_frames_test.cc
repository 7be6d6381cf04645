#include "client/watch_frames.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace berth::client {
namespace BERTH_TEST_FILE {

using std::string_literals::operator""s;

// Returns all events of `bytes`, which arrive `step` at a time; an error ends the list.
std::vector<std::string> Split(WireForm form, const std::string& bytes, size_t step) {
  std::vector<std::string> frames;
  WatchFrames splitter(form);
  for (size_t at = 0; at < bytes.size(); at += step) {
    splitter.Add(std::string_view(bytes).substr(at, step));
    while (true) {
      const auto frame = splitter.Next();
      if (!frame) {
        frames.push_back("! " + frame.error().message);
        return frames;
      }
      if (!*frame) break;
      frames.emplace_back(**frame);
    }
  }
  return frames;
}

struct SplitCase {
  const char* name;
  WireForm form;
  std::string bytes;
  std::vector<std::string> want;
};

class Splitting : public ::testing::TestWithParam<SplitCase> {};

TEST_P(Splitting, DoesNotDependOnHowTheBytesArrive) {
  for (size_t step = 1; step <= GetParam().bytes.size(); ++step) {
    EXPECT_EQ(Split(GetParam().form, GetParam().bytes, step), GetParam().want) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(
    WatchFrames, Splitting,
    ::testing::Values(
        SplitCase{"Lines", WireForm::kJson, "{\"a\":1}\n{}\n", {"{\"a\":1}", "{}"}},
        SplitCase{"NoLines", WireForm::kJson, "{}{} \t\r\n{}", {"{}", "{}", "{}"}},
        SplitCase{"Nested", WireForm::kJson, R"({"a":[{"b":{}}]}{)", {R"({"a":[{"b":{}}]})"}},
        SplitCase{"Strings",
                  WireForm::kJson,
                  R"({"}{":"\\","q":"\"}","\\\"":"]"}{})",
                  {R"({"}{":"\\","q":"\"}","\\\"":"]"})", "{}"}},
        SplitCase{"CutOff", WireForm::kJson, R"({"a":"{}})", {}},
        SplitCase{"NotAnObject", WireForm::kJson, "{}[", {"{}", "! an event is a JSON list"}},
        SplitCase{"Closing", WireForm::kJson, "}", {"! an event begins with a closing bracket"}},
        SplitCase{"Text", WireForm::kJson, "\"a", {"! an event is not a JSON object"}},
        SplitCase{
            "Messages", WireForm::kProtobuf, "\0\0\0\2ab\0\0\0\0\0\0\0\1c\0\0"s, {"ab", "", "c"}},
        SplitCase{"TooLong",
                  WireForm::kProtobuf,
                  "\1\0\0\1"s,
                  {"! an event is longer than 16777216 bytes"}}),
    [](const auto& test) { return test.param.name; });

TEST(WatchFrames, FormsByContentType) {
  EXPECT_EQ(FormOf("application/json"), WireForm::kJson);
  EXPECT_EQ(FormOf(""), WireForm::kJson);
  EXPECT_EQ(FormOf("application/vnd.kubernetes.protobuf;stream=watch"), WireForm::kProtobuf);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
