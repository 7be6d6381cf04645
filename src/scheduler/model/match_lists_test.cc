#include "scheduler/model/match_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "testing/object_builders.h"

namespace berth::scheduler::model {
namespace BERTH_TEST_FILE {

class MatchListsTest : public testing::Test {
 protected:
  void Add(const api::PodAffinityTerm& term, const std::string& namespace_ = "default") {
    entries_.push_back({PodMatcher(term, namespace_, symbols_)});
    lists_.Add(entries_.back());
  }
  void AddWeb(const std::string& namespace_) { Add(Selecting({{"app", "web"}}), namespace_); }
  static api::PodAffinityTerm Selecting(api::StringMap labels) {
    api::PodAffinityTerm term;
    term.label_selector.emplace().match_labels = std::move(labels);
    return term;
  }
  LabelSetId LabelsOf(const api::Pod& pod) { return labels_.Acquire(pod.metadata); }

  bool Matches(uint32_t entry, LabelSetId id) {
    ++tried_;
    const PodLabels& pod = labels_.Get(id);
    return std::ranges::all_of(entries_[entry], [&](const PodMatcher& matcher) {
      return matcher.Matches(pod.namespace_, {}, pod.labels, table_);
    });
  }
  const std::vector<uint32_t>& For(LabelSetId id) {
    return lists_.For(labels_, id, [&](uint32_t entry) { return Matches(entry, id); });
  }

  using List = std::vector<uint32_t>;
  SymbolTable table_;
  SymbolHolder symbols_{table_};
  PodLabelsTable labels_{table_};
  std::vector<std::vector<PodMatcher>> entries_;
  MatchLists lists_;
  size_t tried_ = 0;
};

TEST_F(MatchListsTest, TryOnlyEntriesThatRequireALabelOfThePod) {
  for (int i = 0; i < 1000; ++i) Add(Selecting({{"app", std::to_string(i)}}));
  Add(Selecting({}));
  const LabelSetId seven = LabelsOf(MakePod("p").Label("app", "7"));
  EXPECT_EQ(For(seven), (List{7, 1000}));
  EXPECT_EQ(tried_, 2u);
  EXPECT_EQ(For(seven), (List{7, 1000}));
  EXPECT_EQ(tried_, 2u);
  for (int i = 0; i < 1000; ++i) Add(Selecting({{"app", std::to_string(i)}}));
  EXPECT_EQ(For(seven), (List{7, 1000, 1008}));
  EXPECT_EQ(tried_, 3u);
}

TEST_F(MatchListsTest, TellEntriesApartByWhatTheyDoNotShare) {
  for (int i = 0; i < 1000; ++i)
    Add(Selecting({{"app", std::to_string(i)}, {"a-part-of", "shop"}, {"z-tier", "front"}}));
  const LabelSetId pod =
      LabelsOf(MakePod("p").Label("app", "7").Label("a-part-of", "shop").Label("z-tier", "front"));
  EXPECT_EQ(For(pod), (List{7}));
  EXPECT_LE(tried_, 5u);
}

TEST_F(MatchListsTest, TellNamespacesApart) {
  for (int i = 0; i < 1000; ++i) AddWeb("tenant-" + std::to_string(i));
  EXPECT_EQ(For(LabelsOf(MakePod("p").Namespace("tenant-7").Label("app", "web"))), (List{7}));
  EXPECT_EQ(tried_, 1u);
  api::PodAffinityTerm without = Selecting({});
  without.label_selector->match_expressions = {{"app", "NotIn", {"web"}}};
  for (int i = 0; i < 1000; ++i) Add(without, "tenant-" + std::to_string(i));
  EXPECT_EQ(For(LabelsOf(MakePod("p").Namespace("tenant-7").Label("app", "db"))), (List{1007}));
  EXPECT_EQ(tried_, 2u);
}

TEST_F(MatchListsTest, NamespacesMayBeListedTwice) {
  api::PodAffinityTerm term = Selecting({{"app", "web"}});
  term.namespaces = {"a", "b", "a"};
  for (int i = 0; i < 10; ++i) Add(term);
  EXPECT_EQ(For(LabelsOf(MakePod("p").Namespace("a").Label("app", "web"))).size(), 10u);
}

TEST_F(MatchListsTest, ClearLeavesNothing) {
  for (int i = 0; i < 1000; ++i) AddWeb("tenant-" + std::to_string(i));
  EXPECT_GT(lists_.bytes(), 1000 * sizeof(uint32_t));
  lists_.Clear();
  EXPECT_EQ(lists_.bytes(), 0u);
  EXPECT_EQ(For(LabelsOf(MakePod("p").Namespace("tenant-7").Label("app", "web"))), List{});
  EXPECT_EQ(tried_, 0u);
}

TEST_F(MatchListsTest, StartOverWhenTheyAreTooLarge) {
  constexpr size_t kEntries = size_t{1} << 20;
  for (size_t i = 0; i < kEntries; ++i) lists_.Add({});
  std::vector<LabelSetId> ids;
  for (int i = 0; i < 9; ++i) ids.push_back(LabelsOf(MakePod("p").Label("app", std::to_string(i))));
  size_t tried = 0;
  const auto matches = [&](uint32_t) { return ++tried > 0; };
  for (LabelSetId id : ids) EXPECT_EQ(lists_.For(labels_, id, matches).size(), kEntries);
  EXPECT_EQ(tried, 9 * kEntries);
  EXPECT_EQ(lists_.For(labels_, ids[0], matches).size(), kEntries);
  EXPECT_EQ(tried, 10 * kEntries);
  EXPECT_EQ(lists_.For(labels_, ids[0], matches).size(), kEntries);
  EXPECT_EQ(tried, 10 * kEntries);
}

// --- against trying all ---

class RandomMatchLists : public MatchListsTest {
 protected:
  std::string Value() { return std::to_string(random_.Below(4)); }
  std::string Namespace() { return "namespace-" + Value(); }

  api::PodAffinityTerm Term() {
    api::PodAffinityTerm term;
    if (random_.Chance(97)) term.label_selector.emplace();
    for (const char* key : {"app", "tier", "version"}) {
      if (!term.label_selector) break;
      auto& expressions = term.label_selector->match_expressions;
      switch (random_.Below(8)) {
        case 0:
        case 1:
          term.label_selector->match_labels[key] = Value();
          break;
        case 2:
          expressions.push_back({key, "In", {Value(), Value()}});
          break;
        case 3:
          expressions.push_back({key, "NotIn", {Value()}});
          break;
        case 4:
          expressions.push_back({key, random_.Chance(50) ? "Exists" : "DoesNotExist", {}});
          break;
        case 5: {
          std::vector<std::string> many;
          for (int i = 2; i < 30; ++i) many.push_back(std::to_string(i));
          if (random_.Chance(30)) expressions.push_back({key, "In", many});
          break;
        }
        default:
          break;
      }
    }
    while (random_.Chance(25)) term.namespaces.push_back(Namespace());
    if (random_.Chance(5)) {
      for (int i = 0; i < 20; ++i) term.namespaces.push_back("namespace-" + std::to_string(i));
    }
    if (random_.Chance(15)) term.namespace_selector.emplace();
    return term;
  }

  LabelSetId RandomLabels() {
    MakePod pod("p");
    pod.Namespace(Namespace());
    for (const char* key : {"app", "tier", "version"}) {
      if (random_.Chance(70)) pod.Label(key, Value());
    }
    return LabelsOf(pod);
  }

  List TryAll(LabelSetId id) {
    List matching;
    for (uint32_t i = 0; i < entries_.size(); ++i) {
      if (Matches(i, id)) matching.push_back(i);
    }
    return matching;
  }

  Random random_{1};
};

TEST_F(RandomMatchLists, EqualTryingAll) {
  std::vector<LabelSetId> held;
  for (int step = 0; step < 5000; ++step) {
    const uint64_t kind = random_.Below(200);
    if (kind == 0) {
      lists_.Reset();
    } else if (kind == 1) {
      // What a caller does who renumbers: some entries are no more.
      std::erase_if(entries_, [&](const auto&) { return random_.Chance(60); });
      lists_.Clear();
      for (const auto& all_of : entries_) lists_.Add(all_of);
    } else if (kind < 60) {
      Add(Term(), Namespace());
    } else if (kind < 65) {
      entries_.push_back(
          {PodMatcher(Term(), Namespace(), symbols_), PodMatcher(Term(), Namespace(), symbols_)});
      lists_.Add(entries_.back());
    } else if (kind < 100 && !held.empty()) {
      std::swap(held[random_.Below(held.size())], held.back());
      labels_.Release(held.back());
      held.pop_back();
    } else {
      held.push_back(RandomLabels());
      ASSERT_EQ(For(held.back()), TryAll(held.back())) << "step " << step;
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::model
