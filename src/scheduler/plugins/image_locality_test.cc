#include "scheduler/plugins/image_locality.h"

#include "scheduler/plugins/plugin_testing.h"

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

// An image of `megabytes` that a node reports under `names`.
std::string Image(std::string_view names, int64_t megabytes) {
  return fmt::format("{{names: [{}], sizeBytes: {}}}", names, megabytes * 1024 * 1024);
}

std::string Holding(std::string_view node, std::string_view images) {
  return NodeYaml(node, {.status = fmt::format("images: [{}]", images)});
}

// A pod with one container for each image.
std::string Running(const std::vector<std::string>& images) {
  std::string containers;
  for (const std::string& image : images)
    containers += fmt::format("{{name: c, image: '{}'}},", image);
  return PodYaml("web", {.spec = fmt::format("containers: [{}]", containers)});
}

struct ScoreCase {
  const char* name;
  std::string pod;
  std::vector<std::string> nodes;  // The images of each.
  const char* want;
};

class ImageLocalityTest : public testing::TestWithParam<ScoreCase> {};

TEST_P(ImageLocalityTest, Score) {
  TestCluster world;
  for (size_t i = 0; i < GetParam().nodes.size(); ++i)
    world.Add(Holding(NthName(i), GetParam().nodes[i]));
  PluginHarness trial(world, MakePlugin("ImageLocality"), GetParam().pod);
  EXPECT_EQ(trial.Scores(), GetParam().want);
}

const std::string kDigest = "repo/x@sha256:0123456789abcdef";

const ScoreCase kScoreCases[] = {
    {"UnknownImagesScoreNothing", Running({"app:1"}), {"", Image("'other:1'", 500)}, "0 0"},
    // 20 MB are below the threshold of 23; 150 MB are 127 above it, of 1977.
    {"LargeImagesScoreMore",
     Running({"small:1", "large:1"}),
     {Image("'small:1'", 40), Image("'large:1'", 300)},
     "0 6"},
    {"ImagesAddUp",
     Running({"small:1", "large:1"}),
     {Image("'small:1'", 40) + "," + Image("'large:1'", 300), ""},
     "7 0"},
    // 250 MB times two thirds.
    {"SpreadCounts",
     Running({"app:1"}),
     {Image("'app:1'", 250), Image("'app:1'", 250), ""},
     "14 14 0"},
    {"ThreeOfTenNodes",
     Running({"app:1"}),
     {Image("'app:1'", 1000), "", "", Image("'app:1'", 1000), "", "", Image("'app:1'", 1000), "",
      "", ""},
     "28 0 0 28 0 0 28 0 0 0"},
    {"TheThresholdItselfScoresNothing", Running({"app:1"}), {Image("'app:1'", 23)}, "0"},
    {"AThousandMegabytesPerContainerAreEnough",
     Running({"app:1"}),
     {Image("'app:1'", 1000)},
     "100"},
    {"MoreIsNotBetter", Running({"app:1"}), {Image("'app:1'", 4000)}, "100"},
    {"EachContainerRaisesWhatIsEnough",
     Running({"app:1", "other:1"}),
     {Image("'app:1'", 1000)},
     "49"},
    // 600 of 2000 MB.
    {"AnImageUsedTwiceCountsTwice", Running({"app:1", "app:1"}), {Image("'app:1'", 300)}, "29"},
    {"InitContainersCount",
     PodYaml("web", {.spec = "initContainers: [{name: i, image: 'setup:1'}], containers: [{name: "
                             "c, image: 'app:1'}]"}),
     {Image("'setup:1'", 300)},
     "14"},
    // 500 of 1000 MB: the volume is not a container.
    {"ImageVolumesCountWithoutRaisingWhatIsEnough",
     PodYaml("web", {.spec = "containers: [{name: c, image: 'app:1'}], "
                             "volumes: [{name: model, image: {reference: 'model:1'}}]"}),
     {Image("'model:1'", 500)},
     "48"},
    {"OtherVolumesDoNotCount",
     PodYaml(
         "web",
         {.spec = "containers: [{name: c, image: 'app:1'}], volumes: [{name: v, emptyDir: {}}]"}),
     {Image("'app:1'", 500)},
     "48"},
    {"AnImageMayHaveSeveralNames",
     Running({"app:2"}),
     {Image("'app:1', 'app:2', '" + kDigest + "'", 1000)},
     "100"},
    {"DigestsAreNames", Running({kDigest}), {Image("'app:1', '" + kDigest + "'", 1000)}, "100"},
    {"NoTagMeansLatest",
     Running({"nginx"}),
     {Image("'nginx:latest'", 1000), Image("nginx", 1000)},
     "48 0"},
    {"APortIsNoTag", Running({"reg:5000/nginx"}), {Image("'reg:5000/nginx:latest'", 1000)}, "100"},
    {"TagsMustMatch", Running({"nginx:1.25"}), {Image("'nginx:latest'", 1000)}, "0"},
    {"TheFirstNodeGivesTheSize",
     Running({"app:1"}),
     {Image("'app:1'", 100), Image("'app:1'", 500)},
     "7 7"},
    {"TheFirstReportOfANodeGivesTheSize",
     Running({"app:1"}),
     {Image("'app:1'", 100) + "," + Image("'app:1'", 500)},
     "7"},
};

INSTANTIATE_TEST_SUITE_P(All, ImageLocalityTest, testing::ValuesIn(kScoreCases),
                         [](const auto& c) { return c.param.name; });

TEST(ImageLocality, TheEpochMovesWithWhatScoresDependOn) {
  TestCluster world{Holding("a", Image("'app:1'", 500)), Holding("b", "")};
  PluginHarness trial(world, MakePlugin("ImageLocality"), Running({"app:1"}));
  uint64_t epoch = trial.As<framework::ScorePlugin>().score_epoch(world.cluster());
  auto moved = [&] {
    const uint64_t before =
        std::exchange(epoch, trial.As<framework::ScorePlugin>().score_epoch(world.cluster()));
    return epoch != before;
  };
  EXPECT_EQ(trial.Scores(), "23 0");

  world.Add(Running({"app:1"}));
  EXPECT_FALSE(moved()) << "a pod came";
  world.Add(NodeYaml("b", {.labels = "zone: x"}));
  EXPECT_FALSE(moved()) << "a node changed in other ways";

  world.Add(Holding("b", Image("'app:1'", 500)));
  EXPECT_TRUE(moved()) << "another node holds the image";
  EXPECT_EQ(trial.Scores(), "48 48");

  world.Add(NodeYaml("c"));
  EXPECT_TRUE(moved()) << "a node came";
  EXPECT_EQ(trial.Scores(), "31 31 0");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
