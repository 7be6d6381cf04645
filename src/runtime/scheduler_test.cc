#include "runtime/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "runtime/runtime_testing.h"
#include "testing/engine_harness.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kNode = client::Doc(
    "{'type':'ADDED','object':{'metadata':{'name':'a','uid':'n','resourceVersion':'5'},"
    "'status':{'allocatable':{'cpu':'8','memory':'8Gi','pods':'10'}}}}");
const std::string kPod = client::Doc(
    "{'type':'ADDED','object':{'metadata':{'name':'web','namespace':'default','uid':'u',"
    "'resourceVersion':'6'},'spec':{'schedulerName':'default-scheduler',"
    "'containers':[{'name':'c'}]},'status':{'phase':'Pending'}}}");

class SchedulerTest : public testing::Test {
 protected:
  SchedulerTest() {
    SchedulerOptions options;
    options.engine.profiles = {DefaultProfile()};
    scheduler = *Scheduler::MakeOn(FakeClients(server), std::move(options),
                                   scheduler::plugins::InTreeRegistry());
  }
  void StartAndSync() {
    scheduler->Start([this] { ++syncs; });
    RespondToLists(server, kPod, kNode);
  }
  // Returns the requests that the driver has made by the time it has nothing more to do.
  std::vector<std::string> Requests() {
    // At least one whole step lies between two visits.
    for (int i = 0; i < 3; ++i) {
      scheduler->driver().RunBetweenSteps([](const scheduler::engine::Engine&) {});
    }
    server.executor.Run();
    return server.Lines();
  }
  bool runs() {
    return scheduler->driver().RunBetweenSteps([](const scheduler::engine::Engine&) {});
  }

  client::FakeApiServer server;
  std::unique_ptr<Scheduler> scheduler;
  int syncs = 0;
};

TEST_F(SchedulerTest, SchedulesOnceItLeadsAndHasReadWhatItsPredecessorWrote) {
  StartAndSync();
  EXPECT_EQ(syncs, 1);
  EXPECT_TRUE(scheduler->synced());
  EXPECT_THAT(Requests(), Not(Contains(HasSubstr("/binding"))));
  scheduler->Lead();
  EXPECT_THAT(Requests(), Not(Contains(HasSubstr("/binding")))) << "it must list pods first";
  RespondToLists(server, kPod);
  EXPECT_THAT(Requests(), Contains(HasSubstr("/pods/web/binding")));
}

TEST_F(SchedulerTest, DoesNotLeadIfTheLeaseIsLostWhileItRefreshes) {
  StartAndSync();
  scheduler->Lead();
  server.executor.Run();
  scheduler->StopLeading();
  RespondToLists(server, kPod);
  EXPECT_THAT(Requests(), Not(Contains(HasSubstr("/binding"))));
  scheduler->Lead();
  RespondToLists(server, kPod);
  EXPECT_THAT(Requests(), Contains(HasSubstr("/binding"))) << "the next term counts";
}

TEST_F(SchedulerTest, LeadingThatComesAfterStopDoesNothing) {
  StartAndSync();
  scheduler->Lead();  // Posted, but not run.
  scheduler->Stop(Duration{});
  scheduler->Lead();
  server.Lines();
  server.executor.Run();
  EXPECT_THAT(server.Lines(), IsEmpty());
  EXPECT_FALSE(runs());
}

TEST_F(SchedulerTest, StartAfterStopDoesNothing) {
  scheduler->Stop(Duration{});
  scheduler->Start([this] { ++syncs; });
  server.executor.Run();
  EXPECT_THAT(server.Lines(), IsEmpty());
  EXPECT_FALSE(runs());
}

TEST_F(SchedulerTest, StoppingDoesNotWaitForAWatchThatTheMailboxBlocks) {
  // Acts as a watch loop: posts until the mailbox is full, and beyond.
  Mailbox mailbox([] {}, 2);
  const auto change = [] {
    return std::vector<api::ObjectChange>{api::ObjectPut{MakeNode("a").Cpu("8")}};
  };
  mailbox.Post(change());
  mailbox.Post(change());
  auto blocked = std::async(std::launch::async, [&] { mailbox.Post(change()); });
  mailbox.Post(scheduler::engine::WriteDone{});  // Results do not block.
  mailbox.Close();
  blocked.wait();
  std::vector<scheduler::engine::Event> events;
  EXPECT_TRUE(mailbox.Take(events));
  EXPECT_EQ(events.size(), 3) << "the blocked change was not dropped";
}

TEST(MailboxTest, AFullMailboxBlocksChangesUntilTheDriverReads) {
  Mailbox mailbox([] {}, 2);
  std::atomic<int> posted = 0;
  auto watch = std::async(std::launch::async, [&] {
    for (int i = 0; i < 10; ++i) {
      mailbox.Post(std::vector<api::ObjectChange>{api::ObjectPut{MakeNode("a").Cpu("8")}});
      ++posted;
    }
  });
  std::vector<scheduler::engine::Event> events;
  size_t largest = 0;
  for (size_t read = 0; read < 10; read += events.size()) {
    events.clear();
    mailbox.Take(events);
    largest = std::max(largest, events.size());
  }
  watch.wait();
  EXPECT_EQ(posted, 10);
  EXPECT_LE(largest, 2);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
