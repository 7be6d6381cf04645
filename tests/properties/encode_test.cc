// DecodeJson(EncodeJson(x)) equals x: for the objects of random clusters, and for objects of every
// kind with random values in every field.
#include "api/json/encode.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "api/json/decode.h"
#include "api/json/fields.h"
#include "api/json/fields_devices.h"
#include "api/json/fields_pod.h"
#include "api/json/fields_storage.h"
#include "testing/random_cluster.h"

namespace berth {
namespace BERTH_TEST_FILE {

// A visitor for api/json/fields.h that sets random values.
class RandomFields {
 public:
  explicit RandomFields(uint64_t seed) : random_(seed) {}

  template <typename T>
  void operator()(std::string_view, T& field) {
    Fill(field);
  }
  template <typename T>
  void Required(std::string_view, T& field) {
    Fill(field);
  }
  template <typename FieldsOfGroup>
  void Group(std::string_view, FieldsOfGroup fields) {
    fields(*this);
  }
  template <typename T>
  void Wrapped(std::string_view, std::string_view, std::optional<T>& field) {
    Fill(field);
  }
  void Names(std::string_view, std::string_view, std::vector<std::string>& names) { Fill(names); }
  void Keys(std::string_view, std::set<std::string, std::less<>>& keys) {
    for (uint64_t i = random_.Below(3); i > 0; --i) keys.insert(Text());
  }
  void Choice(std::string_view, std::string& field) { Fill(field); }
  template <typename Variant, typename T>
  void Alternative(std::string_view, Variant& variant, api::As<T>) {
    if (random_.Chance(20)) Fill(variant.template emplace<T>());
  }

  template <typename T>
  void Fill(T& object) {
    Fields(*this, object);
  }

 private:
  // Returns a text with characters that JSON must escape.
  std::string Text() {
    static constexpr const char* kPieces[] = {"a",
                                              "B-c",
                                              "/",
                                              ".example.com",
                                              "\"",
                                              "\\",
                                              "\n",
                                              "\t",
                                              "\x01",
                                              "\x7f",
                                              "\xc3\xa9",
                                              "\xe6\xbc\xa2",
                                              "\xf0\x9f\x98\x80",
                                              " ",
                                              "null"};
    std::string text;
    for (uint64_t i = random_.Below(4); i > 0; --i)
      text += kPieces[random_.Below(std::size(kPieces))];
    return text;
  }

  void Fill(std::string& text) { text = Text(); }
  void Fill(bool& value) { value = random_.Chance(50); }
  void Fill(int32_t& number) {
    static constexpr int32_t kEdges[] = {0, 1, -1, INT32_MIN, INT32_MAX};
    number = random_.Chance(50) ? kEdges[random_.Below(std::size(kEdges))]
                                : static_cast<int32_t>(random_.Next());
  }
  void Fill(int64_t& number) {
    static constexpr int64_t kEdges[] = {0, 1, -1, INT64_MIN, INT64_MAX};
    number = random_.Chance(50) ? kEdges[random_.Below(std::size(kEdges))]
                                : static_cast<int64_t>(random_.Next());
  }
  void Fill(Instant& instant) {
    // Within the range of both RFC 3339 and Instant.
    constexpr uint64_t kSpan = 18'000'000'000;
    instant = Instant::FromUnixSeconds(static_cast<int64_t>(random_.Below(kSpan)) - kSpan / 2);
    if (random_.Chance(50)) instant.nanos += static_cast<int64_t>(random_.Below(1'000'000'000));
  }
  void Fill(api::Quantity& quantity) {
    static constexpr const char* kTexts[] = {
        "0", "100m", "1Gi", "-5", "1e3", "0.9Ei", "1n", "4k", "1.5Mi", "12345678901234567890"};
    quantity = *api::Quantity::Parse(kTexts[random_.Below(std::size(kTexts))]);
  }
  void Fill(api::RawJson& raw) {
    static constexpr const char* kTexts[] = {"{}", "[1,2.50,-3e5]",
                                             R"({"a":{"b":["\u00e9 \\",null]}})", "true",
                                             "12345678901234567890123"};
    if (random_.Chance(80))
      raw.json = std::make_shared<std::string>(kTexts[random_.Below(std::size(kTexts))]);
  }
  // The decoder sets these defaults, as the API server does.
  void Fill(api::DeviceSubRequest& request) {
    Fields(*this, request);
    if (request.allocation_mode.empty()) request.allocation_mode = "All";
  }
  void Fill(api::RbdSource& source) {
    Fields(*this, source);
    if (source.pool.empty()) source.pool = "rbd";
  }

  template <typename T>
  void Fill(std::optional<T>& value) {
    if (random_.Chance(60)) Fill(value.emplace());
  }
  void Fill(std::vector<bool>& list) { list.assign(random_.Below(3), random_.Chance(50)); }
  template <typename T>
  void Fill(std::vector<T>& list) {
    for (uint64_t i = random_.Below(3); i > 0; --i) Fill(list.emplace_back());
  }
  template <typename T>
  void Fill(std::map<std::string, T, std::less<>>& map) {
    for (uint64_t i = random_.Below(3); i > 0; --i) Fill(map[Text()]);
  }

  Random random_;
};

template <typename T>
void ExpectSameAfterDecoding(const T& object) {
  const std::string json = api::EncodeJson(object);
  const auto decoded = api::DecodeJson(json);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message << "\n" << json;
  ASSERT_EQ(decoded->size(), 1u) << json;
  const auto* read = std::get_if<api::Ref<T>>(&decoded->front());
  ASSERT_NE(read, nullptr) << json;
  T got = **read;
  if constexpr (std::is_same_v<T, api::ResourceClaim>) {
    EXPECT_EQ(*got.text.json, api::StripTypeAndManagedFields(json));
    got.text = object.text;
  }
  EXPECT_EQ(got, object) << json;
  // Quantities of the same amount are equal; their text must be the same, too.
  EXPECT_EQ(api::EncodeJson(**read), json);
}

template <typename... Kinds>
void CheckEveryKind(std::variant<api::Ref<Kinds>...>, uint64_t seed) {
  auto check = [seed]<typename T>(std::type_identity<T>) {
    T object;
    RandomFields(seed).Fill(object);
    // Every object has a name, and the decoder sets the namespace.
    object.metadata.name += "-name";
    object.metadata.namespace_ = api::KindOf<T>().namespaced ? "space" : "";
    ExpectSameAfterDecoding(object);
  };
  (check(std::type_identity<Kinds>()), ...);
}

TEST(EncodeProperty, DecodingGivesBackWhatWasEncoded) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    CheckEveryKind(api::Object(), seed);
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

TEST(EncodeProperty, DecodingGivesBackRandomClusters) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    ClusterGenerator generator(seed);
    const scheduler::reference::Snapshot cluster = generator.Snapshot(10);
    std::vector<api::Object> objects = ObjectsOf(cluster);
    for (int i = 0; i < 50; ++i) {
      objects.push_back(generator.WaitingPod(cluster));
      objects.push_back(generator.Change(cluster).object);
    }
    for (const api::Object& object : objects) {
      std::visit([](const auto& ref) { ExpectSameAfterDecoding(*ref); }, object);
      if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
