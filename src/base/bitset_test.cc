#include "base/bitset.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace berth {
namespace BERTH_TEST_FILE {

Bitset FromMembers(size_t size, const std::vector<size_t>& members) {
  Bitset bits(size);
  for (size_t i : members) bits.Set(i);
  return bits;
}

std::vector<size_t> Members(const Bitset& bits) {
  std::vector<size_t> members;
  bits.ForEach([&](size_t i) { members.push_back(i); });
  return members;
}

using Numbers = std::vector<size_t>;

TEST(Bitset, DefaultIsEmptyAndOfSizeZero) {
  const Bitset bits;
  EXPECT_EQ(bits.size(), 0u);
  EXPECT_EQ(bits.Count(), 0u);
  EXPECT_TRUE(bits.None());
}

struct FilledCase {
  size_t size;
  std::vector<uint64_t> want;
};

TEST(Bitset, FilledSetKeepsTheTailOfTheLastWordZero) {
  const FilledCase cases[] = {
      {0, {}},
      {1, {1}},
      {63, {~uint64_t{0} >> 1}},
      {64, {~uint64_t{0}}},
      {65, {~uint64_t{0}, 1}},
      {130, {~uint64_t{0}, ~uint64_t{0}, 3}},
  };
  for (const FilledCase& c : cases) {
    SCOPED_TRACE(c.size);
    const Bitset made(c.size, true);
    EXPECT_EQ(made.words(), c.want);
    EXPECT_EQ(made.Count(), c.size);

    Bitset filled(c.size);
    EXPECT_TRUE(filled.None());
    filled.SetAll();
    EXPECT_EQ(filled, made);
    filled.ClearAll();
    EXPECT_EQ(filled, Bitset(c.size));
  }
}

struct ResizeCase {
  const char* name;
  size_t from;
  Numbers members;
  size_t to;
  bool value;
  Numbers want;
};

TEST(Bitset, Resize) {
  const ResizeCase cases[] = {
      {"GrowingAddsZeros", 3, {0, 2}, 70, false, {0, 2}},
      {"GrowingWithinAWordAddsOnes", 3, {1}, 6, true, {1, 3, 4, 5}},
      {"GrowingIntoTheNextWordAddsOnes", 62, {0}, 66, true, {0, 62, 63, 64, 65}},
      {"GrowingFromAWholeWordAddsOnes", 64, {63}, 66, true, {63, 64, 65}},
      {"GrowingFromNothingAddsOnes", 0, {}, 2, true, {0, 1}},
      {"ShrinkingDropsMembers", 70, {1, 5, 69}, 5, false, {1}},
      {"ShrinkingAddsNothing", 70, {1}, 5, true, {1}},
      {"ShrinkingToNothing", 70, {1, 69}, 0, true, {}},
  };
  for (const ResizeCase& c : cases) {
    SCOPED_TRACE(c.name);
    Bitset bits = FromMembers(c.from, c.members);
    bits.Resize(c.to, c.value);
    EXPECT_EQ(bits.size(), c.to);
    EXPECT_EQ(Members(bits), c.want);
    EXPECT_EQ(bits.Count(), c.want.size());
  }
}

TEST(Bitset, ForgetsMembersThatShrinkingCutOff) {
  Bitset bits = FromMembers(10, {2, 9});
  bits.Resize(5);
  bits.Resize(10);
  EXPECT_EQ(Members(bits), Numbers({2}));
}

TEST(Bitset, AssignSetsAndClears) {
  Bitset bits(100);
  bits.Assign(64, true);
  EXPECT_TRUE(bits.Test(64));
  EXPECT_FALSE(bits.Test(63));
  bits.Assign(64, false);
  EXPECT_FALSE(bits.Test(64));
}

TEST(Bitset, CanBeUsedAgainAfterClearing) {
  Bitset bits = FromMembers(300, {10, 290});
  bits.ClearAll();
  EXPECT_TRUE(bits.None());
  bits.Set(150);
  EXPECT_EQ(Members(bits), Numbers({150}));
  bits |= FromMembers(300, {5});
  EXPECT_EQ(Members(bits), Numbers({5, 150}));
  EXPECT_EQ(bits, FromMembers(300, {5, 150}));
}

TEST(Bitset, PartHasTheMembersOfSomeWords) {
  const Bitset bits = FromMembers(300, {1, 64, 127, 128, 299});
  EXPECT_EQ(Members(bits.Part(1, 2)), Numbers({64, 127}));
  EXPECT_EQ(Members(bits.Part(2, 5)), Numbers({128, 299}));
  EXPECT_EQ(bits.Part(0, 5), bits);
  EXPECT_TRUE(bits.Part(3, 3).None());
}

TEST(Bitset, KeepByWordRemovesTheOthers) {
  Bitset bits = FromMembers(130, {0, 1, 64, 129});
  bits.KeepByWord([](size_t word) { return word == 0 ? uint64_t{2} : ~uint64_t{0}; });
  EXPECT_EQ(Members(bits), Numbers({1, 64, 129}));
}

TEST(Bitset, DiffersBySizeAlone) { EXPECT_NE(Bitset(3), Bitset(4)); }

TEST(Bitset, ForEachLetsTheVisitorClearTheMemberItIsGiven) {
  Bitset bits = FromMembers(130, {0, 1, 63, 64, 129});
  Numbers seen;
  bits.ForEach([&](size_t i) {
    seen.push_back(i);
    bits.Clear(i);
  });
  EXPECT_EQ(seen, Numbers({0, 1, 63, 64, 129}));
  EXPECT_TRUE(bits.None());
}

// The property tests compare with std::set over a universe of `size` numbers.
struct Model {
  size_t size;
  std::set<size_t> set;

  Bitset bits() const { return FromMembers(size, {set.begin(), set.end()}); }
};

rc::Gen<Model> AnyModel(size_t size) {
  const auto member = rc::gen::inRange<size_t>(0, std::max<size_t>(size, 1));
  return rc::gen::map(rc::gen::container<std::set<size_t>>(member), [size](std::set<size_t> set) {
    if (size == 0) set.clear();
    return Model{size, std::move(set)};
  });
}

size_t AnySize() { return *rc::gen::inRange<size_t>(0, 200); }

void ExpectEqual(const Bitset& bits, size_t size, const std::set<size_t>& set) {
  RC_ASSERT(bits.size() == size);
  RC_ASSERT(bits.Count() == set.size());
  RC_ASSERT(bits.None() == set.empty());
  RC_ASSERT(Members(bits) == Numbers(set.begin(), set.end()));
  for (size_t i = 0; i < size; ++i) RC_ASSERT(bits.Test(i) == set.contains(i));
  // Equality compares whole words, so this also detects a stray bit beyond size().
  RC_ASSERT((bits == FromMembers(size, {set.begin(), set.end()})));
}

RC_GTEST_PROP(BitsetProperty, AlgebraIsThatOfSets, ()) {
  const size_t size = AnySize();
  const Model a = *AnyModel(size);
  const Model b = *AnyModel(size);
  std::set<size_t> both, either, without;
  std::ranges::set_intersection(a.set, b.set, std::inserter(both, both.end()));
  std::ranges::set_union(a.set, b.set, std::inserter(either, either.end()));
  std::ranges::set_difference(a.set, b.set, std::inserter(without, without.end()));
  ExpectEqual(a.bits() &= b.bits(), size, both);
  ExpectEqual(a.bits() |= b.bits(), size, either);
  ExpectEqual(a.bits() -= b.bits(), size, without);
  RC_ASSERT((a.bits() == b.bits()) == (a.set == b.set));
}

RC_GTEST_PROP(BitsetProperty, KeepIfKeepsWhatHolds, ()) {
  const Model model = *AnyModel(AnySize());
  const size_t divisor = *rc::gen::inRange<size_t>(1, 70);
  const auto divides = [divisor](size_t i) { return i % divisor == 0; };

  Bitset bits = model.bits();
  bits.KeepIf(divides);

  std::set<size_t> remaining = model.set;
  std::erase_if(remaining, [&](size_t i) { return !divides(i); });
  ExpectEqual(bits, model.size, remaining);
}

RC_GTEST_PROP(BitsetProperty, ResizeKeepsWhatFitsAndFillsTheRest, (bool value)) {
  const Model model = *AnyModel(AnySize());
  const size_t to = AnySize();

  Bitset bits = model.bits();
  bits.Resize(to, value);

  std::set<size_t> want = model.set;
  std::erase_if(want, [&](size_t i) { return i >= to; });
  for (size_t i = model.size; value && i < to; ++i) want.insert(i);
  ExpectEqual(bits, to, want);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
