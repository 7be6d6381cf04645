#include "ledger/ledger.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "ledger/block.h"
#include "ledger/ledger_testing.h"

namespace berth::ledger {
namespace BERTH_TEST_FILE {
namespace {

Attempt FailedAttempt(size_t i) {
  Attempt attempt = PlacedAttempt(i);
  attempt.outcome = Outcome::kUnschedulable;
  attempt.node.clear();
  attempt.candidates.clear();
  attempt.feasible = 0;
  attempt.message = "0/5000 nodes are available: 5000 Insufficient cpu.";
  attempt.plugins = {"NodeResourcesFit"};
  attempt.groups = {{"NodeResourcesFit", "Insufficient cpu", 5000}};
  return attempt;
}

std::vector<uint64_t> Sequences(const std::vector<Attempt>& attempts) {
  std::vector<uint64_t> sequences;
  for (const Attempt& attempt : attempts) sequences.push_back(attempt.sequence);
  return sequences;
}

// --- records ---

rc::Gen<std::string> Text(size_t max) {
  return rc::gen::mapcat(rc::gen::inRange<size_t>(0, max + 1), [](size_t size) {
    return rc::gen::container<std::string>(size, rc::gen::arbitrary<char>());
  });
}

Attempt AnyAttempt() {
  const auto duration = [] { return Duration{*rc::gen::inRange<int64_t>(0, int64_t{1} << 40)}; };
  const auto number = [] { return *rc::gen::arbitrary<uint32_t>(); };
  const auto texts = [] {
    return *rc::gen::resize(5, rc::gen::container<std::vector<std::string>>(Text(20)));
  };
  Attempt attempt;
  attempt.time = Instant{*rc::gen::inRange<int64_t>(0, int64_t{1} << 62)};
  attempt.scheduler_name = *Text(10);
  attempt.namespace_ = *Text(kMaxNameBytes);
  attempt.name = *Text(kMaxNameBytes);
  attempt.uid = *Text(40);
  attempt.number = number();
  attempt.outcome = static_cast<Outcome>(*rc::gen::inRange<int>(0, kOutcomes));
  attempt.node = *Text(20);
  attempt.message = *Text(300);
  attempt.plugins = texts();
  for (const std::string& reason : texts()) attempt.groups.push_back({"a", reason, number()});
  for (const std::string& node : texts()) {
    attempt.candidates.push_back({node, *rc::gen::arbitrary<int64_t>()});
    if (attempt.candidates.size() == kMaxCandidates) break;
  }
  for (const std::string& name : texts()) attempt.victims.push_back({"b", name});
  attempt.victim_count = static_cast<uint32_t>(attempt.victims.size());
  attempt.evaluated = number();
  attempt.feasible = number();
  attempt.phases = {duration(), duration(), duration(), duration(), duration(), {}, {}, {}};
  attempt.woken_by = {*Text(30), *Text(30), attempt.time - duration()};
  attempt.waited_for = texts();
  attempt.waited = duration();
  return attempt;
}

// The sequence of the copy, or 0.
uint64_t AppendCopyTo(Ledger& ledger, const Attempt& copy) {
  return ledger.AppendCopy({.time = copy.time,
                            .namespace_ = copy.namespace_,
                            .name = copy.name,
                            .uid = copy.uid,
                            .number = copy.number,
                            .phases = copy.phases,
                            .woken = copy.woken_by.time,
                            .waited = copy.waited});
}

TEST(LedgerTest, ACopyIsReadAsAnyOther) {
  Ledger ledger;
  EXPECT_EQ(AppendCopyTo(ledger, FailedAttempt(1)), 0u) << "there is none to copy";
  ledger.Append(*ViewOf(FailedAttempt(1)));
  Attempt copy = FailedAttempt(2);
  copy.number = 7;
  copy.waited = Duration::Seconds(3);
  copy.phases = {.pre_filter = Duration{5}, .filter = Duration{6}};
  EXPECT_EQ(AppendCopyTo(ledger, copy), 2u);
  copy.sequence = 2;
  EXPECT_EQ(ledger.Query({.namespace_ = "shop", .name = "web-2"}).attempts,
            std::vector<Attempt>{copy});
  EXPECT_EQ(ledger.Query({.outcome = Outcome::kUnschedulable}).attempts.size(), 2u);
  EXPECT_EQ(ledger.Query({.plugin = "NodeResourcesFit"}).attempts.size(), 2u);
}

TEST(LedgerTest, WhatCannotBeCopiedIsReported) {
  Ledger ledger;
  ledger.Append(*ViewOf(FailedAttempt(1)));
  Attempt elsewhere = FailedAttempt(2);
  elsewhere.namespace_ = "other";
  EXPECT_EQ(AppendCopyTo(ledger, elsewhere), 0u);
  size_t copies = 0;
  while (AppendCopyTo(ledger, FailedAttempt(copies + 3)) > 0) ++copies;
  EXPECT_EQ(copies, Block::kRows - 1) << "the block is full";
  EXPECT_EQ(ledger.Append(*ViewOf(FailedAttempt(0))), Block::kRows + 1);
  EXPECT_EQ(AppendCopyTo(ledger, FailedAttempt(1)), Block::kRows + 2);
  ledger.Append(*ViewOf(PlacedAttempt(0)));
  EXPECT_EQ(AppendCopyTo(ledger, PlacedAttempt(1)), 0u);
}

RC_GTEST_PROP(LedgerTest, WhatIsReadIsWhatWasWritten, ()) {
  Ledger ledger;
  std::vector<Attempt> written;
  const auto count = *rc::gen::inRange<size_t>(1, 30);
  for (size_t i = 0; i < count; ++i) {
    // Some texts repeat, so that they are shared.
    Attempt attempt = i > 0 && *rc::gen::arbitrary<bool>() ? written[i / 2] : AnyAttempt();
    attempt.sequence = ledger.Append(*ViewOf(attempt));
    RC_ASSERT(attempt.sequence == i + 1);
    written.push_back(std::move(attempt));
  }
  const LedgerNews news = ledger.Follow({}, 1000);
  RC_ASSERT(news.attempts == written);
  RC_ASSERT(news.lost == 0u);
  std::vector<Attempt> reversed(written.rbegin(), written.rend());
  RC_ASSERT(ledger.Query({}).attempts == reversed);
}

TEST(LedgerTest, AFailureIsSharedByItsId) {
  Ledger ledger;
  Attempt failed = FailedAttempt(1);
  failed.waited_for = {"NodeAffinity", "NodeResourcesFit"};
  ledger.Append(*ViewOf(failed, 7));
  ledger.Append(*ViewOf(PlacedAttempt(2)));
  ledger.Append(*ViewOf(failed, 7));
  ledger.Append(*ViewOf(failed, 7));
  const std::vector<Attempt> read = ledger.Query({}).attempts;
  ASSERT_EQ(read.size(), 4u);
  EXPECT_EQ(read[0].groups, failed.groups);
  EXPECT_EQ(read[1].message, failed.message);
  EXPECT_TRUE(read[2].groups.empty());
  EXPECT_EQ(read[3].plugins, failed.plugins);
  EXPECT_EQ(read[0].waited_for, failed.waited_for);
  EXPECT_TRUE(read[2].waited_for.empty());
  EXPECT_EQ(read[3].waited_for, failed.waited_for);
}

TEST(LedgerTest, TextsAreCutToTheirLimits) {
  Attempt attempt = FailedAttempt(1);
  attempt.name = std::string(1000, 'n');
  attempt.message = std::string(100'000, 'm');
  attempt.groups.assign(1000, {std::string(1000, 'p'), std::string(1000, 'r'), 1});
  attempt.plugins.assign(1000, std::string(1000, 'p'));
  attempt.candidates.assign(1000, {std::string(1000, 'c'), 1});
  attempt.victims.assign(1000, {std::string(1000, 'v'), std::string(1000, 'v')});
  attempt.waited_for.assign(1000, std::string(1000, 'w'));
  attempt.woken_by.object = std::string(1000, 'o');
  Ledger ledger;
  ledger.Append(*ViewOf(attempt));
  const Attempt read = ledger.Query({}).attempts.at(0);
  EXPECT_EQ(read.name, std::string(kMaxNameBytes, 'n'));
  EXPECT_EQ(read.message, std::string(kMaxMessageBytes, 'm'));
  EXPECT_EQ(read.groups.size(), kMaxNodeGroups);
  EXPECT_EQ(read.groups.back().reason, std::string(kMaxReasonBytes, 'r'));
  EXPECT_EQ(read.plugins.size(), kMaxPlugins);
  EXPECT_EQ(read.candidates.size(), kMaxCandidates);
  EXPECT_EQ(read.victims.size(), kMaxVictims);
  EXPECT_EQ(read.victim_count, 1000u);
  EXPECT_EQ(read.waited_for.size(), kMaxPlugins);
  EXPECT_EQ(read.woken_by.object.size(), kMaxReasonBytes);
}

// --- limits ---

TEST(LedgerTest, KeepsTheLastAttempts) {
  Ledger ledger({.attempts = 5000});
  for (size_t i = 1; i <= 20'000; ++i) ledger.Append(*ViewOf(PlacedAttempt(i)));
  const Ledger::Stats stats = ledger.stats();
  EXPECT_EQ(stats.last, 20'000u);
  EXPECT_LE(stats.first, 15'001u);
  EXPECT_GT(stats.first, 15'001u - 2 * Block::kRows);
  EXPECT_EQ(ledger.Query({}, stats.first + 1).attempts.at(0).name,
            "web-" + std::to_string(stats.first));
  EXPECT_TRUE(ledger.Query({}, stats.first).attempts.empty());
}

// Each attempt brings texts that no other has, as large as they may be.
TEST(LedgerTest, HostileNamesDoNotExceedTheMemory) {
  const size_t memory = kMinLedgerMemory;
  Ledger ledger({.attempts = 1'000'000, .memory = memory});
  for (size_t i = 0; i < 3000; ++i) {
    const auto text = [i](char kind, size_t size) {
      return kind + std::to_string(i) + std::string(size, kind);
    };
    Attempt attempt = FailedAttempt(i);
    attempt.namespace_ = text('n', kMaxNameBytes);
    attempt.name = text('p', kMaxNameBytes);
    attempt.message = text('m', kMaxMessageBytes);
    attempt.scheduler_name = text('s', kMaxNameBytes);
    attempt.woken_by.object = text('o', kMaxReasonBytes);
    attempt.groups.assign(i % (2 * kMaxNodeGroups), {text('x', 300), text('r', 600), 1});
    const uint64_t sequence = ledger.Append(*ViewOf(attempt, i + 1));
    ledger.EndBinding(sequence, {}, text('f', kMaxMessageBytes));
    ASSERT_LE(ledger.stats().bytes, memory);
  }
  const Ledger::Stats stats = ledger.stats();
  EXPECT_EQ(stats.last, 3000u);
  EXPECT_GT(stats.first, 2000u);
  EXPECT_LT(stats.first, 3000u);
}

TEST(LedgerTest, CopiesOfOnePodTakeFewBytes) {
  Ledger ledger;
  for (size_t i = 0; i < 100'000; ++i) ledger.Append(*ViewOf(PlacedAttempt(i)));
  EXPECT_LT(ledger.stats().bytes / 100'000, 260u);
}

// --- queries ---

TEST(LedgerTest, FindsAttemptsByPodNodeOutcomeAndPlugin) {
  Ledger ledger;
  ledger.Append(*ViewOf(FailedAttempt(1)));                          // 1
  const uint64_t placed = ledger.Append(*ViewOf(PlacedAttempt(1)));  // 2
  ledger.Append(*ViewOf(PlacedAttempt(2)));                          // 3
  Attempt elsewhere = PlacedAttempt(1);
  elsewhere.namespace_ = "other";
  ledger.Append(*ViewOf(elsewhere));  // 4
  ledger.EndBinding(placed, {}, {});
  const auto find = [&](const AttemptFilter& filter) {
    return Sequences(ledger.Query(filter).attempts);
  };
  using List = std::vector<uint64_t>;
  EXPECT_EQ(find({}), (List{4, 3, 2, 1}));
  EXPECT_EQ(find({.namespace_ = "shop", .name = "web-1"}), (List{2, 1}));
  EXPECT_EQ(find({.node = "node-1"}), (List{4, 2}));
  EXPECT_EQ(find({.outcome = Outcome::kBound}), (List{2}));
  EXPECT_EQ(find({.outcome = Outcome::kAssumed}), (List{4, 3}));
  EXPECT_EQ(find({.plugin = "NodeResourcesFit"}), (List{1}));
  EXPECT_EQ(find({.plugin = "NodeResources"}), (List{}));
  EXPECT_EQ(find({.namespace_ = "shop", .name = "web-1", .outcome = Outcome::kBound}), (List{2}));
}

TEST(LedgerTest, PagesCoverEverythingOnce) {
  Ledger ledger;
  for (size_t i = 1; i <= 40'000; ++i)
    ledger.Append(*ViewOf(i % 10'000 == 3 ? FailedAttempt(i) : PlacedAttempt(i)));
  const AttemptFilter filter{.plugin = "NodeResourcesFit"};
  std::vector<uint64_t> found;
  size_t pages = 0;
  uint64_t before = UINT64_MAX;
  do {
    const AttemptPage page = ledger.Query(filter, before, 3);
    for (const Attempt& attempt : page.attempts) found.push_back(attempt.sequence);
    before = page.next;
    ++pages;
  } while (before != 0);
  EXPECT_EQ(found, (std::vector<uint64_t>{30'003, 20'003, 10'003, 3}));
  EXPECT_EQ(pages, 40'000 / Ledger::kMaxDecoded + 1);
}

TEST(LedgerTest, APageOfLargeAttemptsIsShort) {
  Ledger ledger;
  Attempt attempt = FailedAttempt(1);
  for (size_t i = 0; i < kMaxNodeGroups; ++i)
    attempt.groups.push_back({"p", std::to_string(i) + std::string(500, 'r'), 1});
  for (size_t i = 0; i < 1000; ++i) ledger.Append(*ViewOf(attempt, 1));
  const AttemptPage page = ledger.Query({}, UINT64_MAX, 1000);
  EXPECT_LT(page.attempts.size(), 400u);
  EXPECT_EQ(page.next, page.attempts.back().sequence);
  EXPECT_LT(ledger.Follow({}, 1000).attempts.size(), 400u);
}

// --- bindings ---

TEST(LedgerTest, TheEndOfABindingCompletesTheAttempt) {
  Ledger ledger;
  const uint64_t bound = ledger.Append(*ViewOf(PlacedAttempt(1)));
  const uint64_t failed = ledger.Append(*ViewOf(PlacedAttempt(2)));
  const LedgerCursor before = ledger.Latest();
  Phases phases;
  phases.permit = Duration::Seconds(3);
  phases.bind = Duration::Millis(2);
  ledger.EndBinding(failed, phases, "binding rejected: no such node");
  ledger.EndBinding(bound, phases);
  ledger.EndBinding(77, phases);
  ledger.Append(*ViewOf(PlacedAttempt(3)));
  const LedgerNews news = ledger.Follow(before, 10);
  EXPECT_EQ(Sequences(news.attempts), (std::vector<uint64_t>{2, 1, 3}));
  EXPECT_EQ(news.attempts[0].outcome, Outcome::kError);
  EXPECT_EQ(news.attempts[0].message, "binding rejected: no such node");
  EXPECT_EQ(news.attempts[0].phases.permit, Duration::Seconds(3));
  EXPECT_EQ(news.attempts[1].outcome, Outcome::kBound);
  EXPECT_EQ(news.attempts[1].message, "");
  EXPECT_EQ(news.attempts[1].phases.bind, Duration::Millis(2));
  EXPECT_TRUE(ledger.Follow(news.next, 10).attempts.empty());
}

TEST(LedgerTest, ABindingMayEndMuchLater) {
  Ledger ledger({.attempts = 10'000});
  const uint64_t failed = ledger.Append(*ViewOf(PlacedAttempt(1)));
  for (size_t i = 0; i < 5000; ++i) ledger.Append(*ViewOf(PlacedAttempt(i)));
  ledger.EndBinding(failed, {}, "too late");
  EXPECT_EQ(ledger.Query({}, failed + 1).attempts.at(0).message, "too late");
  for (size_t i = 0; i < 20'000; ++i) ledger.Append(*ViewOf(PlacedAttempt(i)));
  ledger.EndBinding(failed, {}, "later still");  // The attempt has left.
  EXPECT_TRUE(ledger.Query({}, failed + 1).attempts.empty());
}

TEST(LedgerTest, AFollowerLearnsWhatItMissed) {
  Ledger ledger({.attempts = 2000});
  for (size_t i = 0; i < 10'000; ++i) ledger.Append(*ViewOf(PlacedAttempt(i)));
  const LedgerNews news = ledger.Follow({.sequence = 10}, 5);
  EXPECT_EQ(news.lost, ledger.stats().first - 11);
  EXPECT_EQ(news.attempts.at(0).sequence, ledger.stats().first);
  EXPECT_EQ(news.next.sequence, ledger.stats().first + 4);
}

TEST(LedgerTest, ACursorOfAnEarlierProcessStartsOver) {
  Ledger ledger;
  ledger.Append(*ViewOf(PlacedAttempt(1)));
  const LedgerNews news = ledger.Follow({.sequence = 4711, .bindings = 99}, 5);
  EXPECT_EQ(Sequences(news.attempts), (std::vector<uint64_t>{1}));
}

// --- threads ---

// Readers see whole attempts, in order, while another thread writes and evicts.
TEST(LedgerTest, ReadersMeetTheWriter) {
  constexpr size_t kAttempts = 30'000;
  Ledger ledger({.attempts = 5000, .memory = kMinLedgerMemory});
  std::atomic<bool> ended = false;
  std::thread writer([&] {
    for (size_t i = 1; i <= kAttempts; ++i) {
      const uint64_t sequence = ledger.Append(*ViewOf(PlacedAttempt(i)));
      if (sequence > 10)
        ledger.EndBinding(sequence - 10, {}, i % 3 == 0 ? std::optional("refused") : std::nullopt);
    }
    ended = true;
  });
  const auto check = [](const Attempt& attempt) {
    Attempt want = PlacedAttempt(attempt.sequence);
    want.sequence = attempt.sequence;
    want.outcome = attempt.outcome;
    if (attempt.outcome == Outcome::kError && !attempt.message.empty()) want.message = "refused";
    EXPECT_EQ(attempt, want);
  };
  std::thread query([&] {
    while (!ended) {
      for (const Attempt& attempt : ledger.Query({}, UINT64_MAX, 200).attempts) check(attempt);
      ledger.Query({.namespace_ = "shop", .name = "web-9"});
    }
  });
  LedgerCursor cursor;
  uint64_t seen = 0, lost = 0;
  while (cursor.sequence < kAttempts) {
    const LedgerNews news = ledger.Follow(cursor, 500);
    for (const Attempt& attempt : news.attempts) {
      check(attempt);
      seen += attempt.sequence > cursor.sequence;
    }
    lost += news.lost;
    cursor = news.next;
  }
  EXPECT_EQ(seen + lost, kAttempts);
  writer.join();
  query.join();
}

}  // namespace
}  // namespace BERTH_TEST_FILE
}  // namespace berth::ledger
