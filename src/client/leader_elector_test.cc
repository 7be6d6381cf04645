#include "client/leader_elector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "net/executor_testing.h"

// Tests set only the fields that matter to them.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

namespace berth::client {
namespace BERTH_TEST_FILE {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

// The server's state, shared by all locks on it.
struct FakeLease {
  std::optional<LeaderRecord> record;
  int version = 0;
  bool down = false;    // All requests fail.
  bool silent = false;  // No request ever gets a response.
  bool slow = false;    // Writes get their response when the test calls `answer`.
  std::function<void()> answer;
  std::vector<std::string> log;

  void Set(LeaderRecord value) {
    record = std::move(value);
    ++version;
  }
};

class FakeLock final : public ElectionLock {
 public:
  FakeLock(FakeLease& lease, std::string who) : lease_(lease), who_(std::move(who)) {}

  void Get(Read read) override {
    lease_.log.push_back(who_ + " get");
    if (lease_.silent || cut_off) return;
    if (lease_.down) return read(Failed("down"));
    if (!lease_.record) return read(std::unexpected(LockFailure{true, "not found"}));
    seen_ = lease_.version;
    read(*lease_.record);
  }
  void Create(const LeaderRecord& record, Written written) override {
    Write("create", record, !lease_.record, written);
  }
  void Update(const LeaderRecord& record, Written written) override {
    Write("update", record, lease_.record && seen_ == lease_.version, written);
  }
  void Cancel() override {}
  std::string name() const override { return "ns/lease"; }

  bool cut_off = false;  // Only this lock gets no responses.

 private:
  static std::unexpected<LockFailure> Failed(std::string why) {
    return std::unexpected(LockFailure{false, std::move(why)});
  }
  void Write(const char* what, const LeaderRecord& record, bool good, const Written& written) {
    lease_.log.push_back(who_ + " " + what);
    if (lease_.silent || cut_off) return;
    if (lease_.down) return written(Failed("down"));
    if (!good) return written(Failed("conflict"));
    lease_.Set(record);
    seen_ = lease_.version;
    if (!lease_.slow) return written({});
    lease_.answer = [written] { written({}); };
  }

  FakeLease& lease_;
  const std::string who_;
  int seen_ = -1;
};

// A wall clock that advances with the executor, but starts 5000 s after the epoch.
class WallClock final : public Clock {
 public:
  WallClock(const net::Executor& executor, Duration skew)
      : executor_(executor), ahead_{Duration::Seconds(4000).nanos + skew.nanos} {}
  Instant Now() const override { return executor_.Now() + ahead_; }

 private:
  const net::Executor& executor_;
  const Duration ahead_;
};

// An elector with its own wall clock.
struct Candidate {
  Candidate(FakeLease& lease, net::ManualExecutor& the_timers, const std::string& name,
            Duration skew = {}, bool coordinated = false)
      : executor(the_timers), lock(lease, name), clock(the_timers, skew) {
    ElectionCallbacks callbacks;
    callbacks.on_started_leading = [this] { story.push_back("started"); };
    callbacks.on_stopped_leading = [this] { story.push_back("stopped"); };
    callbacks.on_new_leader = [this](const std::string& who) { story.push_back("sees " + who); };
    callbacks.on_event = [this](const std::string& message) { events.push_back(message); };
    callbacks.on_lease_end = [this](Instant end) {
      lease_ends.push_back((end - executor.Now()).seconds());
      reported_before_the_end = events.size() + problems.size();
    };
    callbacks.on_slow_path = [this] { ++slow_paths; };
    callbacks.on_end_of_term = [this] { story.push_back("end of term"); };
    callbacks.on_log = [this](const ElectionLogLine& line) {
      lines.insert(std::string(line.message));
      if (!line.error.empty()) problems.push_back(std::string(line.message) + ": " + line.error);
    };
    elector = std::make_unique<LeaderElector>(
        lock, executor, clock,
        ElectionOptions{.identity = name, .seed = 7, .coordinated = coordinated},
        std::move(callbacks));
  }
  void Stop() {
    elector->Stop([this] { story.push_back("done"); });
  }

  net::ManualExecutor& executor;
  FakeLock lock;
  WallClock clock;
  std::vector<std::string> story;
  std::vector<std::string> events;
  std::vector<std::string> problems;
  std::set<std::string> lines;         // Everything that was logged.
  std::vector<double> lease_ends;      // Seconds from when each was reported.
  size_t reported_before_the_end = 0;  // Events and problems before the last of them.
  int slow_paths = 0;
  std::unique_ptr<LeaderElector> elector;
};

class LeaderElectorTest : public testing::Test {
 protected:
  std::vector<std::string> TakeLog() { return std::exchange(lease_.log, {}); }

  net::ManualExecutor executor_{Instant::FromUnixSeconds(1000)};
  FakeLease lease_;
};

TEST_F(LeaderElectorTest, OneThatStopsAcquiringNeverLeads) {
  lease_.silent = true;
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  a.elector->StopAcquiring();
  lease_.silent = false;
  executor_.Advance(Duration::Seconds(100));
  a.elector->Run();
  executor_.Advance(Duration::Seconds(100));
  EXPECT_THAT(a.story, IsEmpty());
  EXPECT_FALSE(a.elector->is_leading());

  Candidate b(lease_, executor_, "b");
  b.elector->Run();
  b.elector->StopAcquiring();
  executor_.Advance(Duration::Seconds(100));
  EXPECT_TRUE(b.elector->is_leading()) << "a leader goes on renewing";
}

TEST_F(LeaderElectorTest, CreatesTheLockAndRenewsItWithoutReading) {
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
  EXPECT_THAT(a.events, ElementsAre("a became leader"));
  EXPECT_TRUE(a.elector->is_leading());
  const Instant acquired = Instant::FromUnixSeconds(5000);
  EXPECT_EQ(*lease_.record, (LeaderRecord{"a", 15, acquired, acquired, 0}));
  // At once, as upstream, then every retry period.
  EXPECT_THAT(TakeLog(), ElementsAre("a get", "a create", "a update"));
  executor_.Advance(Duration::Seconds(6));
  EXPECT_THAT(TakeLog(), ElementsAre("a update", "a update", "a update"));
  EXPECT_EQ(*lease_.record, (LeaderRecord{"a", 15, acquired, acquired + Duration::Seconds(6), 0}));
  EXPECT_EQ(a.slow_paths, 0);
}

TEST_F(LeaderElectorTest, TheSecondTakesOverWhenTheFirstIsGone) {
  auto a = std::make_unique<Candidate>(lease_, executor_, "a");
  Candidate b(lease_, executor_, "b");
  a->elector->Run();
  b.elector->Run();
  executor_.Advance(Duration::Seconds(100));
  EXPECT_THAT(b.story, ElementsAre("sees a"));
  EXPECT_FALSE(b.elector->is_leading());
  a.reset();  // Killed.
  TakeLog();
  // b saw the last renewal at most one wait (4.4 s) after it; the lease lasts 15 s from there.
  executor_.Advance(Duration::Millis(14'900));
  EXPECT_THAT(b.story, ElementsAre("sees a"));
  executor_.Advance(Duration::Seconds(9));
  EXPECT_THAT(b.story, ElementsAre("sees a", "sees b", "started"));
  EXPECT_EQ(lease_.record->holder, "b");
  EXPECT_EQ(lease_.record->transitions, 1);
}

TEST_F(LeaderElectorTest, ToleratesClockSkew) {
  for (const int64_t skew : {-100'000, 100'000}) {
    lease_ = {};
    Candidate a(lease_, executor_, "a");
    Candidate b(lease_, executor_, "b", Duration::Seconds(skew));
    a.elector->Run();
    b.elector->Run();
    executor_.Advance(Duration::Seconds(300));
    EXPECT_THAT(a.story, ElementsAre("sees a", "started")) << skew;
    EXPECT_THAT(b.story, ElementsAre("sees a")) << skew;
  }
}

TEST_F(LeaderElectorTest, AnOldRecordExpiresAFullLeaseAfterItWasObserved) {
  // Its times are long past, but may be those of another clock.
  lease_.Set({"ghost", 15, Instant::FromUnixSeconds(1), Instant::FromUnixSeconds(2), 4});
  Candidate b(lease_, executor_, "b");
  b.elector->Run();
  executor_.Advance(Duration::Millis(14'999));
  EXPECT_THAT(b.story, ElementsAre("sees ghost"));
  executor_.Advance(Duration::Millis(4'401));
  EXPECT_THAT(b.story, ElementsAre("sees ghost", "sees b", "started"));
  EXPECT_EQ(lease_.record->transitions, 5);
}

TEST_F(LeaderElectorTest, AReleasedLockIsAcquiredAtOnce) {
  lease_.Set({"", 1, Instant(), Instant(), 4});
  Candidate b(lease_, executor_, "b");
  b.elector->Run();
  EXPECT_THAT(b.story, ElementsAre("sees b", "started"));
  EXPECT_EQ(lease_.record->transitions, 5);
}

TEST_F(LeaderElectorTest, OurOwnOldLockIsAcquiredWithoutATransition) {
  const Instant acquired = Instant::FromUnixSeconds(77);
  lease_.Set({"a", 15, acquired, acquired, 3});
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
  EXPECT_EQ(lease_.record->transitions, 3);
  EXPECT_EQ(lease_.record->acquire_time, acquired);
}

TEST_F(LeaderElectorTest, CandidatesWaitBetweenOneAndTwoPointTwoPeriods) {
  lease_.Set({"x", 1'000'000, Instant(), Instant(), 0});
  Candidate b(lease_, executor_, "b");
  b.elector->Run();
  for (int i = 0; i < 100; ++i) {
    TakeLog();
    Duration waited;
    while (lease_.log.empty()) {
      executor_.Advance(Duration::Millis(10));
      waited.nanos += Duration::Millis(10).nanos;
    }
    EXPECT_GE(waited, Duration::Seconds(2));
    EXPECT_LE(waited, Duration::Millis(4'410));
    EXPECT_THAT(lease_.log, ElementsAre("b get"));
  }
}

TEST_F(LeaderElectorTest, AConflictIsResolvedByReadingAgain) {
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  ++lease_.version;  // A write to the object that leaves the record unchanged.
  TakeLog();
  executor_.Advance(Duration::Seconds(2));
  EXPECT_THAT(TakeLog(), ElementsAre("a update", "a get", "a update"));
  EXPECT_EQ(a.slow_paths, 1);
  EXPECT_EQ(a.problems.size(), 1u);
  EXPECT_EQ(a.problems[0],
            "Failed to update lease optimistically, falling back to slow path: conflict");
  EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
}

TEST_F(LeaderElectorTest, ADeletedLockIsCreatedAgain) {
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  lease_.record.reset();
  TakeLog();
  executor_.Advance(Duration::Seconds(2));
  EXPECT_THAT(TakeLog(), ElementsAre("a update", "a get", "a create"));
  EXPECT_EQ(lease_.record->holder, "a");
  EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
}

TEST_F(LeaderElectorTest, AShortOutageDoesNotEndLeadership) {
  for (const bool silent : {false, true}) {
    lease_ = {};
    Candidate a(lease_, executor_, "a");
    a.elector->Run();
    (silent ? lease_.silent : lease_.down) = true;
    executor_.Advance(Duration::Seconds(2));  // The round begins here.
    executor_.Advance(Duration::Seconds(7));
    EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
    if (silent) continue;  // Only a timeout would end its request.
    lease_.down = false;
    executor_.Advance(Duration::Seconds(30));
    EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
  }
}

TEST_F(LeaderElectorTest, LeadingEndsAtTheDeadline) {
  for (const bool silent : {false, true}) {
    lease_ = {};
    Candidate a(lease_, executor_, "a");
    a.elector->Run();
    (silent ? lease_.silent : lease_.down) = true;
    executor_.Advance(Duration::Millis(11'999));  // Two seconds, then a round of ten.
    EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
    executor_.Advance(Duration::Millis(1));
    EXPECT_THAT(a.story, ElementsAre("sees a", "started", "stopped"));
    EXPECT_THAT(a.events, ElementsAre("a became leader", "a stopped leading"));
    EXPECT_FALSE(a.elector->is_leading());
    // The loss is final, whatever the server does now.
    lease_.down = lease_.silent = false;
    TakeLog();
    executor_.Advance(Duration::Seconds(100));
    EXPECT_THAT(TakeLog(), IsEmpty());
    EXPECT_THAT(a.story, ElementsAre("sees a", "started", "stopped"));
  }
}

TEST_F(LeaderElectorTest, NeverTwoLeadersWhenOneIsDisconnected) {
  Candidate a(lease_, executor_, "a");
  Candidate b(lease_, executor_, "b");
  a.elector->Run();
  b.elector->Run();
  executor_.Advance(Duration::Seconds(20));
  a.lock.cut_off = true;
  for (int i = 0; i < 400; ++i) {
    executor_.Advance(Duration::Millis(100));
    EXPECT_FALSE(a.elector->is_leading() && b.elector->is_leading());
  }
  EXPECT_THAT(a.story, ElementsAre("sees a", "started", "stopped"));
  EXPECT_TRUE(b.elector->is_leading());
}

TEST_F(LeaderElectorTest, ALeaderThatSeesAnotherStopsAtTheDeadline) {
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  lease_.Set({"thief", 15, Instant(), Instant(), 1});
  executor_.Advance(Duration::Millis(11'999));
  EXPECT_THAT(a.story, ElementsAre("sees a", "started", "sees thief"));
  executor_.Advance(Duration::Millis(1));
  EXPECT_EQ(a.story.back(), "stopped");
  EXPECT_EQ(lease_.record->holder, "thief");
}

TEST_F(LeaderElectorTest, OneThatWasStoppedBeyondItsLeaseEndsAtItsFirstFailure) {
  for (const bool silent : {false, true}) {
    lease_ = {};
    Candidate a(lease_, executor_, "a");
    a.elector->Run();
    executor_.Freeze(Duration::Seconds(20));
    lease_.Set({"b", 15, Instant(), Instant(), 1});
    lease_.silent = silent;
    executor_.Advance(silent ? Duration::Seconds(2) : Duration());
    EXPECT_EQ(a.story.back(), "stopped");
  }
}

TEST_F(LeaderElectorTest, OneThatWasStoppedLeadsOnIfNobodyTookOver) {
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  executor_.Freeze(Duration::Seconds(20));
  executor_.Advance(Duration::Seconds(30));
  EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
}

TEST_F(LeaderElectorTest, StoppingReleasesTheLock) {
  Candidate a(lease_, executor_, "a");
  Candidate b(lease_, executor_, "b");
  a.elector->Run();
  b.elector->Run();
  executor_.Advance(Duration::Seconds(30));
  TakeLog();
  a.Stop();
  EXPECT_THAT(TakeLog(), ElementsAre("a get", "a update"));
  EXPECT_THAT(a.story, ElementsAre("sees a", "started", "stopped", "done"));
  const Instant now = Instant::FromUnixSeconds(5030);
  EXPECT_EQ(*lease_.record, (LeaderRecord{"", 1, now, now, 0}));
  executor_.Advance(Duration::Millis(4'400));
  EXPECT_THAT(b.story, ElementsAre("sees a", "sees b", "started"));
  EXPECT_EQ(lease_.record->transitions, 1);
}

TEST_F(LeaderElectorTest, ReleasingTimesOut) {
  const struct {
    const char* name;
    void (*spoil)(FakeLease&);
    Duration takes;
    const char* holder;
  } cases[] = {
      {"down", [](FakeLease& lease) { lease.down = true; }, {}, "a"},
      {"silent", [](FakeLease& lease) { lease.silent = true; }, Duration::Seconds(10), "a"},
      {"another's", [](FakeLease& lease) { lease.Set({"thief", 15, {}, {}, 1}); }, {}, "thief"},
  };
  for (const auto& c : cases) {
    lease_ = {};
    Candidate a(lease_, executor_, "a");
    a.elector->Run();
    c.spoil(lease_);
    a.Stop();
    EXPECT_EQ(a.lease_ends.back(), 0) << "it must end before it is released";
    if (c.takes > Duration()) {
      executor_.Advance({c.takes.nanos - 1});
      EXPECT_THAT(a.story, ElementsAre("sees a", "started")) << c.name;
      EXPECT_TRUE(a.elector->is_leading());
      executor_.Advance({1});
    }
    EXPECT_THAT(a.story, ElementsAre("sees a", "started", "stopped", "done")) << c.name;
    EXPECT_EQ(lease_.record->holder, c.holder) << c.name;
  }
}

// It renews the lease as soon as it leads.
TEST_F(LeaderElectorTest, TheLeaseCountsFromWhenItsRenewalWasSent) {
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  lease_.slow = true;
  executor_.Advance(Duration::Seconds(6));
  std::exchange(lease_.answer, nullptr)();
  EXPECT_THAT(a.lease_ends, ElementsAre(15, 15, 11));
}

TEST_F(LeaderElectorTest, TheLeaseEndsBeforeItsLossIsReported) {
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  lease_.silent = true;
  executor_.Advance(Duration::Seconds(11));
  EXPECT_THAT(a.lease_ends, ElementsAre(15, 15));
  const size_t reported = a.events.size() + a.problems.size();
  executor_.Advance(Duration::Seconds(1));
  EXPECT_THAT(a.lease_ends, ElementsAre(15, 15, 0));
  EXPECT_EQ(a.reported_before_the_end, reported);
}

// It still tries to renew the lease until the deadline.
TEST_F(LeaderElectorTest, TheLeaseEndsWhenAnotherHoldsIt) {
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  lease_.Set({"thief", 15, {}, {}, 1});
  executor_.Advance(Duration::Seconds(2));
  EXPECT_THAT(a.lease_ends, ElementsAre(15, 15, 0));
}

TEST_F(LeaderElectorTest, ACandidateStopsAtOnce) {
  lease_.Set({"x", 15, Instant(), Instant(), 0});
  Candidate b(lease_, executor_, "b");
  b.elector->Run();
  b.Stop();
  EXPECT_THAT(b.story, ElementsAre("sees x", "done"));
  TakeLog();
  executor_.Advance(Duration::Seconds(100));
  EXPECT_THAT(TakeLog(), IsEmpty());
}

TEST_F(LeaderElectorTest, FailuresWhileAcquiringAreRetried) {
  lease_.down = true;
  Candidate a(lease_, executor_, "a");
  a.elector->Run();
  executor_.Advance(Duration::Seconds(60));
  EXPECT_THAT(a.story, IsEmpty());
  EXPECT_EQ(a.problems[0], "Error retrieving lease lock: down");
  lease_.down = false;
  executor_.Advance(Duration::Millis(4'400));
  EXPECT_THAT(a.story, ElementsAre("sees a", "started"));
}

TEST_F(LeaderElectorTest, OnStoppedLeadingMayDestroyTheElector) {
  FakeLock lock(lease_, "a");
  const SimClock clock;
  std::unique_ptr<LeaderElector> elector;
  ElectionCallbacks callbacks;
  callbacks.on_stopped_leading = [&] { elector.reset(); };
  elector = std::make_unique<LeaderElector>(lock, executor_, clock,
                                            ElectionOptions{.identity = "a"}, callbacks);
  elector->Run();
  lease_.down = true;
  executor_.Advance(Duration::Seconds(60));
  EXPECT_EQ(elector, nullptr);
}

// --- coordinated elections: a controller writes the lease ---

constexpr const char* kStrategy = "OldestEmulationVersion";

class CoordinatedElectionTest : public LeaderElectorTest {
 protected:
  // The controller's lease: five seconds, without acquireTime.
  void Assign(const std::string& holder, int transitions = 0) {
    lease_.Set({holder, 5, {}, executor_.Now(), transitions, kStrategy});
  }
  void Prefer(const std::string& holder) {
    LeaderRecord record = *lease_.record;
    record.preferred_holder = holder;
    lease_.Set(record);
  }
  void Lead() {
    Assign("a");
    a_.elector->Run();
    EXPECT_THAT(a_.story, ElementsAre("sees a", "started"));
    TakeLog();
  }

  Candidate a_{lease_, executor_, "a", {}, true};
};

TEST_F(CoordinatedElectionTest, WaitsForTheLeaseToBeAssigned) {
  a_.elector->Run();
  executor_.Advance(Duration::Seconds(30));
  EXPECT_THAT(TakeLog(), Each("a get")) << "it never creates the lease";
  EXPECT_THAT(a_.lines, Contains("Lease lock not found"));
  Assign("b");
  executor_.Advance(Duration::Seconds(30));
  EXPECT_THAT(TakeLog(), Each("a get")) << "it never takes over one that has expired";
  EXPECT_THAT(a_.lines, Contains("Lease has expired"));
  EXPECT_THAT(a_.story, ElementsAre("sees b"));
  Assign("a", 3);
  executor_.Advance(Duration::Millis(4'400));
  EXPECT_THAT(a_.story, ElementsAre("sees b", "sees a", "started"));
  EXPECT_THAT(a_.events, ElementsAre("a became leader"));
  EXPECT_TRUE(a_.elector->is_leading());
}

TEST_F(CoordinatedElectionTest, RenewsWhatTheControllerWrote) {
  Lead();
  executor_.Advance(Duration::Seconds(4));
  EXPECT_THAT(TakeLog(), ElementsAre("a get", "a update", "a get", "a update"));
  EXPECT_EQ(*lease_.record,
            (LeaderRecord{"a", 15, {}, Instant::FromUnixSeconds(5004), 0, kStrategy}));
  EXPECT_EQ(a_.slow_paths, 4) << "as client-go counts them";
}

TEST_F(CoordinatedElectionTest, GivesUpTheLeaseForThePreferredHolder) {
  Lead();
  Prefer("b");
  executor_.Advance(Duration::Millis(11'999));
  EXPECT_THAT(TakeLog(), Each("a get")) << "it does not renew the lease";
  EXPECT_THAT(a_.lines, Contains("Lease is marked as 'end of term'"));
  EXPECT_THAT(a_.story, ElementsAre("sees a", "started"));
  executor_.Advance(Duration::Millis(1));
  EXPECT_THAT(a_.story, ElementsAre("sees a", "started", "end of term"));
  EXPECT_EQ(a_.lease_ends.back(), 0) << "nothing may be written any more";
  EXPECT_THAT(a_.problems, ElementsAre("Failed to renew lease: context deadline exceeded"));
  TakeLog();
  executor_.Advance(Duration::Seconds(100));
  EXPECT_THAT(TakeLog(), IsEmpty()) << "the owner ends its work";
  EXPECT_EQ(lease_.record->holder, "a");
  a_.Stop();
  EXPECT_THAT(TakeLog(), ElementsAre("a get", "a update"));
  EXPECT_THAT(a_.story, ElementsAre("sees a", "started", "end of term", "stopped", "done"));
  const Instant now = Instant::FromUnixSeconds(5112);
  EXPECT_EQ(*lease_.record, (LeaderRecord{"", 1, now, now, 0}));
}

TEST_F(CoordinatedElectionTest, GoesOnIfNobodyIsPreferredAnyMore) {
  Lead();
  Prefer("b");
  executor_.Advance(Duration::Seconds(8));
  Prefer("");
  executor_.Advance(Duration::Seconds(60));
  EXPECT_THAT(a_.story, ElementsAre("sees a", "started"));
}

TEST_F(CoordinatedElectionTest, ALeaseThatIsAssignedToAnotherIsLost) {
  Lead();
  Prefer("b");
  executor_.Advance(Duration::Seconds(4));
  Assign("b", 1);
  executor_.Advance(Duration::Seconds(2));
  EXPECT_EQ(a_.lease_ends.back(), 0);
  executor_.Advance(Duration::Seconds(10));
  EXPECT_THAT(a_.story, ElementsAre("sees a", "started", "sees b", "stopped"));
  EXPECT_EQ(lease_.record->holder, "b");
}

TEST_F(CoordinatedElectionTest, ALeaseThatIsToBeGivenUpIsNotAcquired) {
  Assign("a");
  Prefer("b");
  a_.elector->Run();
  executor_.Advance(Duration::Seconds(30));
  EXPECT_THAT(TakeLog(), Each("a get"));
  EXPECT_THAT(a_.lines, Contains("Lease has expired"));
  EXPECT_THAT(a_.story, ElementsAre("sees a"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::client
