#include "base/symbol_table.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

using Name = Id<struct NameTag>;
using Names = StringTable<Name>;
using Holder = StringHolder<Name>;

TEST(StringTable, NumbersStringsInOrderOfFirstUse) {
  Names table;
  Holder holder(table);
  EXPECT_EQ(holder.Intern("zone").value, 0u);
  EXPECT_EQ(holder.Intern("app").value, 1u);
  EXPECT_EQ(holder.Intern("zone").value, 0u);
  EXPECT_EQ(holder.Intern("").value, 2u);
  EXPECT_EQ(table.size(), 3u);
}

TEST(StringTable, GivesTheTextBack) {
  Names table;
  Holder holder(table);
  const std::string with_zero("a\0b", 3);
  EXPECT_EQ(table.Text(holder.Intern("app")), "app");
  EXPECT_EQ(table.Text(holder.Intern("")), "");
  EXPECT_EQ(table.Text(holder.Intern(with_zero)), with_zero);
}

TEST(StringTable, FindDoesNotIntern) {
  Names table;
  EXPECT_FALSE(table.Find("app").valid());
  EXPECT_EQ(table.size(), 0u);
  Holder holder(table);
  const Name app = holder.Intern("app");
  EXPECT_EQ(table.Find("app"), app);
  EXPECT_FALSE(table.Find("ap").valid());
}

TEST(StringTable, KeepsItsOwnCopyOfTheText) {
  Names table;
  Holder holder(table);
  std::string text = "short";
  const Name name = holder.Intern(text);
  text = "other";
  EXPECT_EQ(table.Text(name), "short");
  EXPECT_EQ(table.Find("short"), name);
}

TEST(StringTable, TextsStayInPlaceWhileTheTableGrows) {
  Names table;
  Holder holder(table);
  const std::string& first = table.Text(holder.Intern("first"));
  for (int i = 0; i < 10'000; ++i) holder.Intern(std::to_string(i));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(table.Find("first").value, 0u);
  EXPECT_EQ(table.Find("9999").value, 10'000u);
}

TEST(StringTable, StringGoesWithItsLastHolder) {
  Names table;
  Holder first(table);
  const Name app = first.Intern("app");
  {
    Holder second(table);
    EXPECT_EQ(second.Intern("app"), app);
    second.Intern("zone");
    EXPECT_EQ(table.holders(app), 2u);
  }
  EXPECT_EQ(table.size(), 1u);
  EXPECT_FALSE(table.Find("zone").valid());
  Holder third(table);
  third.Hold(app);
  first.Clear();
  EXPECT_EQ(table.Text(app), "app");
  third.Clear();
  EXPECT_EQ(table.size(), 0u);
}

TEST(StringTable, LowestFreeIdIsReused) {
  Names table;
  std::vector<Holder> holders;
  for (int i = 0; i < 1000; ++i) holders.emplace_back(table).Intern(std::to_string(i));
  holders[700].Clear();
  holders[3].Clear();
  Holder holder(table);
  EXPECT_EQ(holder.Intern("new").value, 3u);
  EXPECT_EQ(holder.Intern("newer").value, 700u);
  EXPECT_EQ(holder.Intern("newest").value, 1000u);
}

TEST(StringTable, TableThatWasLargeIsSmallAgain) {
  Names table;
  Holder stays(table), goes(table);
  const Name first = stays.Intern("stays");
  for (int i = 0; i < 100'000; ++i) goes.Intern(std::to_string(i));
  EXPECT_GE(table.capacity(), 100'001u);
  goes.Clear();
  EXPECT_EQ(table.size(), 1u);
  EXPECT_LE(table.capacity(), 256u);
  EXPECT_EQ(table.Find("stays"), first);
  EXPECT_EQ(stays.Intern("next").value, 1u);
}

TEST(StringHolder, MovesWithWhatItHolds) {
  Names table;
  Holder target(table);
  target.Intern("old");
  Holder source(table);
  source.Intern("new");
  target = std::move(source);
  source.Clear();
  EXPECT_EQ(table.size(), 1u);
  EXPECT_TRUE(table.Find("new").valid());
  const Holder moved(std::move(target));
  EXPECT_EQ(moved.held().size(), 1u);
  target.Clear();
  EXPECT_TRUE(table.Find("new").valid());
}

RC_GTEST_PROP(StringTableProperty, IdsAreEqualExactlyWhenTextsAre,
              (const std::vector<std::string>& texts)) {
  Names table;
  Holder holder(table);
  std::vector<Name> names;
  for (const std::string& text : texts) names.push_back(holder.Intern(text));
  for (size_t i = 0; i < texts.size(); ++i) {
    RC_ASSERT(table.Text(names[i]) == texts[i]);
    for (size_t j = 0; j < i; ++j) RC_ASSERT((names[i] == names[j]) == (texts[i] == texts[j]));
  }
}

RC_GTEST_PROP(StringTableProperty, HoldsWhatSomeHolderHolds, ()) {
  Names table;
  std::vector<Holder> holders;
  std::vector<std::vector<std::string>> held(4);
  for (size_t i = 0; i < held.size(); ++i) holders.emplace_back(table);
  for (const uint32_t step : *rc::gen::arbitrary<std::vector<uint32_t>>()) {
    const size_t i = step % held.size();
    if (step % 7 == 0) {
      holders[i].Clear();
      held[i].clear();
    } else {
      held[i].push_back(std::to_string(step % 11));
      holders[i].Intern(held[i].back());
    }
    std::map<std::string, uint32_t> wanted;
    for (const auto& texts : held) {
      for (const std::string& text : texts) ++wanted[text];
    }
    RC_ASSERT(table.size() == wanted.size());
    for (const auto& [text, holds] : wanted) {
      const Name name = table.Find(text);
      RC_ASSERT(name.valid() && table.Text(name) == text && table.holders(name) == holds);
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
