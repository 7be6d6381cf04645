// The tolerant decoder: what is wrong with an object is left out and described, the rest counts.
#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "api/json/decode.h"
#include "api/undecodable_fields.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

// A pod, decoded tolerantly, and the paths of what was left out or adjusted.
struct Tolerated {
  explicit Tolerated(std::string json) {
    std::ranges::replace(json, '\'', '"');
    auto decoded = DecodeJsonAs<Pod>(json, &undecodable);
    if (decoded) pod = *std::move(decoded);
    if (!decoded) error = decoded.error().message;
    for (const auto& field : undecodable.described()) paths.push_back(field.path);
    EXPECT_FALSE(undecodable.empty() && !pod) << "only what is wrong is an error: " << error;
    EXPECT_EQ(DecodeJsonAs<Pod>(json).has_value(), undecodable.empty()) << "strict";
  }

  UndecodableFields undecodable;
  Ref<Pod> pod;
  std::string error;
  std::vector<std::string> paths;
};

std::string PodWith(const std::string& metadata, const std::string& spec,
                    const std::string& status = "") {
  return "{'metadata':{'name':'a'" + metadata + "},'spec':{'nodeName':'n1'" + spec +
         "},'status':{'phase':'Running'" + status + "}}";
}

struct WrongCase {
  const char* name;
  std::string json;
  std::vector<std::string> paths;
};

class WrongFieldTest : public ::testing::TestWithParam<WrongCase> {};

TEST_P(WrongFieldTest, IsLeftOutOfAPodThatCounts) {
  const Tolerated read(GetParam().json);
  ASSERT_NE(read.pod, nullptr) << read.error;
  EXPECT_EQ(read.paths, GetParam().paths);
  EXPECT_EQ(read.pod->metadata.name, "a");
  EXPECT_EQ(read.pod->spec.node_name, "n1");
  EXPECT_EQ(read.pod->status.phase, "Running");
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongFieldTest,
    ::testing::Values(
        WrongCase{"Nothing", PodWith("", ""), {}},
        WrongCase{"NumberForAString", PodWith(",'uid':7", ""), {"metadata.uid"}},
        WrongCase{"StringForANumber", PodWith("", ",'priority':'high'"), {"spec.priority"}},
        WrongCase{"NumberForABoolean", PodWith("", ",'hostNetwork':1"), {"spec.hostNetwork"}},
        WrongCase{"ListForAnObject", PodWith("", ",'affinity':[{}]"), {"spec.affinity"}},
        WrongCase{"ObjectForAList", PodWith("", ",'containers':{'a':[]}"), {"spec.containers"}},
        WrongCase{"NumberForAList", PodWith("", ",'tolerations':1.5"), {"spec.tolerations"}},
        WrongCase{"ItemsOfAList",
                  PodWith("", ",'containers':[null,5,{'name':'c'},'x',[{}]]"),
                  {"spec.containers[1]", "spec.containers[3]", "spec.containers[4]"}},
        WrongCase{"DeepWithin",
                  PodWith("",
                          ",'affinity':{'podAffinity':{'requiredDuringSchedulingIgnoredDuring"
                          "Execution':[{'topologyKey':{}}]}}"),
                  {"spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]"
                   ".topologyKey"}},
        WrongCase{"HugeInteger", PodWith("", ",'priority':3000000000"), {"spec.priority"}},
        WrongCase{"UnreadableTime",
                  PodWith(",'deletionTimestamp':'soon'", ""),
                  {"metadata.deletionTimestamp"}},
        WrongCase{"DuplicateKey", PodWith(",'uid':'u','uid':'v'", ""), {"metadata.uid"}},
        WrongCase{
            "DuplicateMapKey", PodWith(",'labels':{'a':'1','a':'2'}", ""), {"metadata.labels.a"}},
        WrongCase{"BadEscape",
                  PodWith(",'annotations':{'k':'\\ud800','l':'x'}", ""),
                  {"metadata.annotations.k"}},
        WrongCase{"NestedTooDeeply",
                  PodWith(",'managedFields':" + std::string(300, '[') + std::string(300, ']'), ""),
                  {"metadata.managedFields"}},
        WrongCase{"Volume",
                  PodWith("", ",'volumes':[{'name':'v','persistentVolumeClaim':'data'}]"),
                  {"spec.volumes[0].persistentVolumeClaim"}}),
    [](const auto& test) { return test.param.name; });

TEST(TolerantDecoder, RequestsCountAsFarAsTheyCanBeRead) {
  const Tolerated read(
      PodWith("",
              ",'containers':[{'name':'c','resources':{'requests':{'cpu':'2','memory':'4 GB',"
              "'example.com/gpu':{},'ephemeral-storage':'1Gi'}}}]"));
  const auto& requests = read.pod->spec.containers.at(0).resources.requests;
  EXPECT_THAT(read.paths, ElementsAre("spec.containers[0].resources.requests.memory",
                                      "spec.containers[0].resources.requests[example.com/gpu]"));
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests.at("cpu"), Quantity::FromValue(2));
  EXPECT_EQ(requests.at("ephemeral-storage"), Quantity::FromValue(1 << 30));
}

TEST(TolerantDecoder, EntriesOfMapsAndListsVanish) {
  const Tolerated read(PodWith(",'labels':{'a':'1','b':2,'c':'3'}",
                               ",'containers':[7,{'name':'c'}],'priority':{},'hostUsers':'no'"));
  EXPECT_THAT(read.pod->metadata.labels, ElementsAre(Pair("a", "1"), Pair("c", "3")));
  EXPECT_EQ(read.pod->spec.containers.size(), 1u);
  EXPECT_FALSE(read.pod->spec.priority.has_value());
  EXPECT_FALSE(read.pod->spec.host_users.has_value());
}

TEST(TolerantDecoder, IntegersSaturate) {
  const Tolerated read(PodWith(",'generation':-99999999999999999999", ",'priority':3e9"));
  EXPECT_EQ(read.pod->metadata.generation, INT64_MIN);
  EXPECT_EQ(read.pod->priority(), INT32_MAX);
  EXPECT_FALSE(read.undecodable.Lacks(UndecodableFields::Part::kSpec));
}

TEST(TolerantDecoder, UnreadableDeletionTimeIsOneNonetheless) {
  const Tolerated read(PodWith(",'deletionTimestamp':5", ""));
  EXPECT_TRUE(read.pod->metadata.deletion_timestamp.has_value());
}

TEST(TolerantDecoder, TellsWhetherTheSpecIsComplete) {
  EXPECT_FALSE(Tolerated(PodWith(",'labels':5", "", ",'conditions':5"))
                   .undecodable.Lacks(UndecodableFields::Part::kSpec));
  EXPECT_TRUE(Tolerated(PodWith("", ",'tolerations':[1]"))
                  .undecodable.Lacks(UndecodableFields::Part::kSpec));
  UndecodableFields undecodable;
  ASSERT_TRUE(DecodeJsonAs<Pod>(R"({"metadata":{"name":"a"},"spec":[]})", &undecodable));
  EXPECT_TRUE(undecodable.Lacks(UndecodableFields::Part::kSpec));
}

TEST(TolerantDecoder, DescribesSomeAndCountsAll) {
  std::string labels;
  for (int i = 0; i < 1000; ++i) labels += (i == 0 ? "'" : ",'") + std::to_string(i) + "':1";
  const Tolerated read(PodWith(",'labels':{" + labels + "}", ""));
  EXPECT_EQ(read.undecodable.count(), 1000u);
  EXPECT_EQ(read.undecodable.described().size(), UndecodableFields::kMaxDescribed);
  EXPECT_THAT(read.pod->metadata.labels, IsEmpty());
}

TEST(TolerantDecoder, DocumentsThatAreNoObjectsRemainErrors) {
  UndecodableFields undecodable;
  for (const char* json :
       {"", "null", "[]", "5", "{", R"({"metadata":{"name":"a"})", R"({"metadata":{"name":7}})",
        R"({"metadata":[]})", "{}", R"({"kind":"Status","metadata":{"name":"a"}})"}) {
    EXPECT_FALSE(DecodeJsonAs<Pod>(json, &undecodable).has_value()) << json;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
