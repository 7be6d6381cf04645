#include "queue/active_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "plugins/priority_sort.h"

namespace berth {
namespace {

using Ids = std::vector<uint32_t>;

class ActiveQueueTest : public testing::Test {
 protected:
  void Push(uint32_t id, int32_t priority, int64_t time) {
    queue_.Push({PodId{id}, priority, Instant{time}});
  }
  Ids PopAll() {
    Ids ids;
    while (!queue_.empty()) ids.push_back(queue_.Pop().pod.value);
    return ids;
  }

  const PrioritySort order_;
  ActiveQueue queue_{order_};
};

TEST_F(ActiveQueueTest, MostUrgentFirstThenLongestWaiting) {
  Push(1, 0, 10);
  Push(2, 5, 30);
  Push(3, 5, 20);
  Push(4, 0, 5);
  EXPECT_EQ(queue_.size(), 4u);
  EXPECT_EQ(PopAll(), Ids({3, 2, 4, 1}));
}

TEST_F(ActiveQueueTest, EqualsComeInOrderOfArrival) {
  for (uint32_t id : {7, 3, 9, 1}) Push(id, 0, 10);
  EXPECT_EQ(PopAll(), Ids({7, 3, 9, 1}));
}

TEST_F(ActiveQueueTest, RemovesFromTheMiddle) {
  Push(1, 0, 10);
  Push(2, 0, 20);
  Push(3, 0, 30);
  EXPECT_TRUE(queue_.Contains(PodId{2}));
  const auto removed = queue_.Remove(PodId{2});
  ASSERT_TRUE(removed.has_value());
  EXPECT_EQ(removed->timestamp.nanos, 20);
  EXPECT_FALSE(queue_.Contains(PodId{2}));
  EXPECT_FALSE(queue_.Remove(PodId{2}).has_value());
  EXPECT_EQ(PopAll(), Ids({1, 3}));
}

TEST_F(ActiveQueueTest, PodComesBackBehindItsEquals) {
  Push(1, 0, 10);
  Push(2, 0, 10);
  queue_.Push(*queue_.Remove(PodId{1}));
  EXPECT_EQ(PopAll(), Ids({2, 1}));
}

TEST_F(ActiveQueueTest, GivesWhatASortedListGives) {
  Random random(1);
  struct Entry {
    uint32_t id;
    int32_t priority;
    int64_t time;
  };
  std::vector<Entry> list;  // In order of arrival.
  for (uint32_t id = 0; id < 2000; ++id) {
    list.push_back(
        {id, static_cast<int32_t>(random.Below(4)), static_cast<int64_t>(random.Below(9))});
    Push(id, list.back().priority, list.back().time);
    if (random.Chance(30)) {
      const auto gone = list.begin() + static_cast<ptrdiff_t>(random.Below(list.size()));
      queue_.Remove(PodId{gone->id});
      list.erase(gone);
    }
  }
  std::ranges::stable_sort(list, [](const Entry& a, const Entry& b) {
    return a.priority != b.priority ? a.priority > b.priority : a.time < b.time;
  });
  Ids want;
  for (const Entry& entry : list) want.push_back(entry.id);
  EXPECT_EQ(PopAll(), want);
}

}  // namespace
}  // namespace berth
