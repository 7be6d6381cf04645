#include "localcluster/coordinated_election.h"

#include "api/timestamp.h"
#include "localcluster/local_cluster_testing.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kCandidates = "leasecandidates.coordination.k8s.io";
constexpr std::string_view kLeases = "leases.coordination.k8s.io";

struct ElectionCluster : TestCluster {
  ElectionCluster() : TestCluster({.leases = false}) {}

  std::string Now() const { return api::FormatMicroTime(clock.Now()); }
  void AddCandidate(std::string_view name, std::string_view emulation,
                    std::string_view binary = "1.36.0",
                    std::string_view strategy = "OldestEmulationVersion") {
    Make(kCandidates,
         fmt::format("{{'metadata':{{'name':'{}'}},'spec':{{'leaseName':'l','renewTime':'{}',"
                     "'binaryVersion':'{}','emulationVersion':'{}','strategy':'{}'}}}}",
                     name, Now(), binary, emulation, strategy));
  }
  // What the processes do.
  void RenewCandidate(std::string_view name) {
    EXPECT_EQ(apiserver::registry::ErrorOf(
                  Merge(kCandidates, name, fmt::format("{{'spec':{{'renewTime':'{}'}}}}", Now()))),
              "ok");
  }
  void RenewLease(int seconds = 15) {
    EXPECT_EQ(apiserver::registry::ErrorOf(
                  Merge(kLeases, "l",
                        fmt::format("{{'spec':{{'renewTime':'{}','leaseDurationSeconds':{}}}}}",
                                    Now(), seconds))),
              "ok");
  }
  bool IsPinged(std::string_view name) const {
    const Json document = Get(kCandidates, name);
    const JsonObject* spec = ObjectAt(AsObject(document), "spec");
    return TimeAt(spec, "pingTime").value_or(Instant()) > *TimeAt(spec, "renewTime");
  }
  // Returns "holder", or "holder > preferred".
  std::string Holder() const {
    const Json document = Get(kLeases, "l");
    const JsonObject* spec = ObjectAt(AsObject(document), "spec");
    const std::string_view preferred = StringAt(spec, "preferredHolder");
    std::string text(StringAt(spec, "holderIdentity"));
    return preferred.empty() ? text : fmt::format("{} > {}", text, preferred);
  }
};

TEST(CoordinatedElection, ElectsTheOldestVersions) {
  ElectionCluster cluster;
  cluster.AddCandidate("a", "1.36.0");
  cluster.AddCandidate("b", "1.35.0");
  cluster.AddCandidate("c", "1.35.0", "1.35.1");
  cluster.AddCandidate("d", "1.35.0", "1.35.1");
  cluster.Run();
  EXPECT_HOLDS(cluster.Get(kLeases, "l"),
               fmt::format("{{'spec':{{'holderIdentity':'c','leaseDurationSeconds':5,"
                           "'renewTime':'{}','strategy':'OldestEmulationVersion',"
                           "'acquireTime':null,'preferredHolder':null}}}}",
                           cluster.Now()));
}

TEST(CoordinatedElection, AsksCandidatesThatHaveNotRenewedRecently) {
  ElectionCluster cluster;
  cluster.AddCandidate("a", "1.35.0");
  cluster.AddCandidate("b", "1.36.0");
  cluster.Run();
  ASSERT_EQ(cluster.Holder(), "a");
  // Both are silent now. The lease expires, and both are asked.
  cluster.AdvanceSeconds(10);
  EXPECT_TRUE(cluster.IsPinged("a"));
  EXPECT_TRUE(cluster.IsPinged("b"));
  cluster.RenewCandidate("b");
  cluster.Run();
  EXPECT_EQ(cluster.Holder(), "a") << "a has five seconds to respond";
  cluster.AdvanceSeconds(3);
  cluster.RenewCandidate("b");
  cluster.AdvanceSeconds(3);
  EXPECT_EQ(cluster.Holder(), "b") << "a did not respond";
}

TEST(CoordinatedElection, AHolderIsToldToGiveUpTheLeaseToABetterOne) {
  ElectionCluster cluster;
  cluster.AddCandidate("a", "1.36.0");
  cluster.Run();
  cluster.RenewLease();
  cluster.AddCandidate("b", "1.35.0");
  cluster.Run();
  EXPECT_EQ(cluster.Holder(), "a > b");
  cluster.Merge(kLeases, "l", "{'spec':{'holderIdentity':'','preferredHolder':null}}");
  cluster.Run();
  EXPECT_EQ(cluster.Holder(), "b");
}

TEST(CoordinatedElection, AHolderThatDoesNotRenewIsReplaced) {
  ElectionCluster cluster;
  cluster.AddCandidate("a", "1.35.0");
  cluster.Run();
  cluster.AdvanceSeconds(4);
  cluster.AddCandidate("b", "1.36.0");
  for (int i = 0; i < 10; ++i) {
    cluster.AdvanceSeconds(2);
    cluster.RenewCandidate("b");
    cluster.Run();
  }
  EXPECT_EQ(cluster.Holder(), "b");
}

TEST(CoordinatedElection, OtherStrategiesHaveOtherControllers) {
  ElectionCluster cluster;
  cluster.AddCandidate("a", "1.36.0", "1.36.0", "example.com/mine");
  cluster.Run();
  EXPECT_EQ(cluster.Holder(), "");
  EXPECT_HOLDS(cluster.Get(kLeases, "l"), "{'spec':{'strategy':'example.com/mine'}}");
  // One strategy must win.
  ElectionCluster other;
  other.AddCandidate("a", "1.36.0", "1.36.0", "example.com/mine");
  other.AddCandidate("b", "1.36.0");
  other.Run();
  EXPECT_THAT(other.Names(Leases()), IsEmpty());
}

TEST(CoordinatedElection, CandidatesThatAreGoneAreDeleted) {
  ElectionCluster cluster;
  cluster.AddCandidate("a", "1.36.0");
  cluster.AddCandidate("b", "1.35.0");
  cluster.Run();
  cluster.AdvanceSeconds(1700);
  EXPECT_THAT(cluster.Names(LeaseCandidates()), ElementsAre("a", "b"));
  cluster.RenewCandidate("a");
  cluster.AdvanceSeconds(110);
  EXPECT_THAT(cluster.Names(LeaseCandidates()), ElementsAre("a"));
  cluster.AdvanceSeconds(1800);
  EXPECT_THAT(cluster.Names(LeaseCandidates()), IsEmpty());
  cluster.Delete(kLeases, "l");
  cluster.Run();
  EXPECT_THAT(cluster.Leftovers(), IsEmpty());
}

TEST(CoordinatedElection, LeasesWithoutCandidatesAreNotTouched) {
  ElectionCluster cluster;
  cluster.Make(kLeases, "{'metadata':{'name':'l'},'spec':{}}");
  cluster.AdvanceSeconds(60);
  EXPECT_EQ(cluster.Holder(), "");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
