#include "scheduler/model/images.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

class ImagesTest : public testing::Test {
 protected:
  struct Held {
    const char* image;
    int64_t size;
  };

  // Node "nX" has row X.
  void SetHeld(uint32_t node, const std::vector<Held>& held) {
    std::vector<Images::Report> reports;
    for (const Held& h : held) reports.push_back({holder_.Intern(h.image), h.size});
    images_.SetHeld(NodeRow{node}, "n" + std::to_string(node), std::move(reports));
  }
  // "size x nodes", or "none".
  std::string Facts(const char* image) {
    const ImageId id = images_.Find(holder_.Intern(image));
    if (!id.valid()) return "none";
    const Images::Image& facts = images_.image(id);
    return std::to_string(facts.size) + " x " + std::to_string(facts.nodes);
  }
  bool Holds(uint32_t node, const char* image) {
    return images_.Holds(NodeRow{node}, images_.Find(holder_.Intern(image)));
  }

  SymbolTable symbols_;
  SymbolHolder holder_{symbols_};
  Images images_;
};

TEST_F(ImagesTest, SizeIsThatOfTheFirstNodeByName) {
  SetHeld(5, {{"app", 50}});
  EXPECT_EQ(Facts("app"), "50 x 1");
  SetHeld(7, {{"app", 70}});
  EXPECT_EQ(Facts("app"), "50 x 2");
  SetHeld(2, {{"app", 20}});
  EXPECT_EQ(Facts("app"), "20 x 3");
}

TEST_F(ImagesTest, SizePassesToTheNextNodeByNameWhenTheOwnerLeaves) {
  SetHeld(7, {{"app", 70}});
  SetHeld(2, {{"app", 20}});
  SetHeld(5, {{"app", 50}});
  SetHeld(2, {});
  EXPECT_EQ(Facts("app"), "50 x 2");
  SetHeld(5, {{"other", 1}});
  EXPECT_EQ(Facts("app"), "70 x 1");
  EXPECT_EQ(Facts("other"), "1 x 1");
  SetHeld(7, {});
  EXPECT_EQ(Facts("app"), "none");
}

TEST_F(ImagesTest, OwnerMayReportAnotherSize) {
  SetHeld(1, {{"app", 10}});
  SetHeld(2, {{"app", 20}});
  SetHeld(1, {{"app", 11}});
  EXPECT_EQ(Facts("app"), "11 x 2");
  SetHeld(2, {{"app", 22}});
  EXPECT_EQ(Facts("app"), "11 x 2");
}

TEST_F(ImagesTest, FirstReportOfANameCounts) {
  SetHeld(1, {{"app", 10}, {"zed", 3}, {"app", 99}});
  EXPECT_EQ(Facts("app"), "10 x 1");
  EXPECT_TRUE(Holds(1, "app"));
  EXPECT_TRUE(Holds(1, "zed"));
}

TEST_F(ImagesTest, HoldsIsPerNode) {
  SetHeld(1, {{"app", 10}});
  SetHeld(2, {{"zed", 10}});
  EXPECT_TRUE(Holds(1, "app"));
  EXPECT_FALSE(Holds(2, "app"));
  EXPECT_FALSE(Holds(9, "app"));
}

TEST_F(ImagesTest, VersionRisesExactlyWhenWhatIsHeldChanges) {
  SetHeld(9, {});
  EXPECT_EQ(images_.version(), 0u);
  SetHeld(1, {{"app", 10}, {"zed", 20}});
  const uint64_t version = images_.version();
  EXPECT_GT(version, 0u);
  SetHeld(1, {{"zed", 20}, {"app", 10}});
  EXPECT_EQ(images_.version(), version);
  SetHeld(1, {{"zed", 21}, {"app", 10}});
  EXPECT_GT(images_.version(), version);
}

TEST_F(ImagesTest, IdOfAnImageThatIsGoneIsUsedAgain) {
  SetHeld(1, {{"app", 10}});
  const ImageId id = images_.Find(symbols_.Find("app"));
  SetHeld(1, {});
  SetHeld(2, {{"zed", 5}});
  EXPECT_EQ(images_.Find(symbols_.Find("zed")), id);
  EXPECT_EQ(Facts("zed"), "5 x 1");
  EXPECT_FALSE(Holds(1, "zed"));
}

TEST(NormalizedImageName, AddsLatestWhereThereIsNoTag) {
  const std::map<std::string, std::string> cases = {
      {"nginx", "nginx:latest"},
      {"nginx:1.25", "nginx:1.25"},
      {"registry:5000/nginx", "registry:5000/nginx:latest"},
      {"registry:5000/nginx:1", "registry:5000/nginx:1"},
      {"nginx@sha256:abc", "nginx@sha256:abc"},
      {"", ":latest"},
  };
  for (const auto& [image, want] : cases) EXPECT_EQ(NormalizedImageName(image), want) << image;
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
