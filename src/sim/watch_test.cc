#include "sim/watch.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace berth::sim {
namespace BERTH_TEST_FILE {

api::Pod PodNamed(std::string name) {
  api::Pod pod;
  pod.metadata.name = std::move(name);
  pod.metadata.namespace_ = "default";
  return pod;
}

// "p1 v2", or "p1 gone".
std::string Text(const Event& event) {
  if (const auto* gone = std::get_if<ObjectGone>(&event)) {
    return api::MetaOf(gone->object).name + " gone";
  }
  const api::ObjectMeta& meta = api::MetaOf(std::get<ObjectPut>(event).object);
  return meta.name + " v" + meta.resource_version;
}

std::vector<std::string> Texts(const std::vector<Event>& events) {
  std::vector<std::string> texts;
  for (const Event& event : events) texts.push_back(Text(event));
  return texts;
}

class WatchTest : public testing::Test {
 protected:
  void Touch(const std::string& name) { api_.Update(*api_.Find<api::Pod>({"default", name})); }

  Watch watch_;
  ApiModel api_{[this](const Change& change) { watch_.Append(change); }};
  Random random_{7};
};

TEST_F(WatchTest, KeepsTheOrderOfEachObject) {
  for (const char* name : {"a", "b", "c"}) api_.Create(PodNamed(name));  // v1, v2, v3
  for (int i = 0; i < 3; ++i) {
    for (const char* name : {"a", "b", "c"}) Touch(name);  // Up to v12.
  }
  std::map<std::string, std::vector<std::string>> heard;
  std::string order;
  while (!watch_.idle()) {
    const std::string text = Text(watch_.Next(random_));
    heard[text.substr(0, 1)].push_back(text);
    order += text[0];
  }
  using Lines = std::vector<std::string>;
  EXPECT_EQ(heard["a"], Lines({"a v1", "a v4", "a v7", "a v10"}));
  EXPECT_EQ(heard["b"], Lines({"b v2", "b v5", "b v8", "b v11"}));
  EXPECT_EQ(heard["c"], Lines({"c v3", "c v6", "c v9", "c v12"}));
  EXPECT_NE(order, "abcabcabcabc");
}

TEST_F(WatchTest, ARelistTellsOfAllThatLivesAndOfKnownOnesThatWent) {
  api_.Create(PodNamed("a"));  // v1
  api_.Create(PodNamed("b"));  // v2
  while (!watch_.idle()) watch_.Next(random_);
  api_.Remove<api::Pod>({"default", "a"});
  api_.Create(PodNamed("c"));  // v4; comes and goes unseen.
  api_.Remove<api::Pod>({"default", "c"});
  api_.Create(PodNamed("d"));  // v6
  Touch("d");
  EXPECT_EQ(Texts(watch_.Relist()), std::vector<std::string>({"a gone", "b v2", "d v7"}));
  EXPECT_TRUE(watch_.idle());
}

TEST_F(WatchTest, WhatAFirstListLeavesOutFollows) {
  for (int i = 0; i < 20; ++i) api_.Create(PodNamed("p" + std::to_string(i)));
  size_t told = watch_.FirstList(random_).size();
  EXPECT_LT(told, 20u);
  for (; !watch_.idle(); ++told) watch_.Next(random_);
  EXPECT_EQ(told, 20u);
  EXPECT_EQ(watch_.told().size(), 20u);
}

TEST_F(WatchTest, TellsAgainWhatItSaidLast) {
  EXPECT_FALSE(watch_.Again(random_).has_value());
  api_.Create(PodNamed("a"));
  watch_.Next(random_);
  Touch("a");
  EXPECT_EQ(Text(*watch_.Again(random_)), "a v1");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::sim
