#include "base/suggestion.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace berth {
namespace BERTH_TEST_FILE {

TEST(EditDistanceTest, CountsChangedCharacters) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("pod", "pod"), 0U);
  EXPECT_EQ(EditDistance("pod", "pods"), 1U);
  EXPECT_EQ(EditDistance("nodeSelektor", "nodeSelector"), 1U);
  EXPECT_EQ(EditDistance("explian", "explain"), 2U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
}

std::string Suggest(std::string_view word, std::initializer_list<std::string_view> candidates) {
  Suggestion suggestion(word);
  for (const std::string_view candidate : candidates) suggestion.Consider(candidate);
  return suggestion.best();
}

TEST(SuggestionTest, IsTheMostSimilarWord) {
  EXPECT_EQ(Suggest("resorces", {"restartPolicy", "resources", "resourceClaims"}), "resources");
  EXPECT_EQ(Suggest("toleration", {"tolerations"}), "tolerations");
  EXPECT_EQ(Suggest("Nodee", {"Node", "Pod"}), "Node");
}

TEST(SuggestionTest, OfEqualsItIsTheFirst) { EXPECT_EQ(Suggest("cat", {"car", "bat"}), "car"); }

TEST(SuggestionTest, MayCompleteAWord) {
  EXPECT_EQ(Suggest("term", {"terminating"}), "terminating");
}

TEST(SuggestionTest, IsNotFarAway) {
  EXPECT_EQ(Suggest("colour", {"image", "name"}), "");
  EXPECT_EQ(Suggest("ab", {"os"}), "");
  EXPECT_EQ(Suggest("", {"a"}), "");
}

TEST(SuggestionTest, TextIsTheEndOfAMessage) {
  Suggestion suggestion("frist");
  EXPECT_EQ(suggestion.Text("--"), "");
  suggestion.Consider("first");
  EXPECT_EQ(suggestion.Text("--"), "; did you mean --first?");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
