#include "cluster/pod_classes.h"

#include <gtest/gtest.h>

#include <string>

#include "support/objects.h"

namespace berth {
namespace BERTH_TEST_FILE {

class PodClassesTest : public testing::Test {
 protected:
  // Pods of equal priority are of one class.
  PodClassId Acquire(int32_t priority) {
    return classes_.Acquire(MakePod("p").Priority(priority), false);
  }

  SymbolTable symbols_;
  ScalarNames scalars_;
  PodClasses classes_{symbols_, scalars_};
};

TEST_F(PodClassesTest, CopiesShareAClass) {
  const PodClassId first = Acquire(1);
  EXPECT_EQ(Acquire(1), first);
  EXPECT_NE(Acquire(2), first);
  EXPECT_EQ(classes_.Get(first).id, first);
  EXPECT_EQ(classes_.Get(first).priority, 1);
}

TEST_F(PodClassesTest, AClassIsKeptWhenItFallsEmpty) {
  const PodClassId first = Acquire(1);
  const uint64_t serial = classes_.serial(first);
  const PodClass* compiled = &classes_.Get(first);
  classes_.Release(first);
  EXPECT_EQ(Acquire(1), first);
  EXPECT_EQ(classes_.serial(first), serial);
  EXPECT_EQ(&classes_.Get(first), compiled);
}

TEST_F(PodClassesTest, ClassesThatHaveBeenEmptyLongestAreDroppedFirst) {
  constexpr int kKept = 1024;
  const PodClassId held = Acquire(-1);
  const PodClassId refilled = Acquire(-2);
  classes_.Release(refilled);
  EXPECT_EQ(Acquire(-2), refilled);
  const PodClassId first = Acquire(0);
  const uint64_t serial = classes_.serial(first);
  classes_.Release(first);
  // The entry of the refilled class counts as one of those kept.
  for (int32_t i = 1; i < kKept - 1; ++i) classes_.Release(Acquire(i));
  EXPECT_EQ(classes_.serial(first), serial);

  classes_.Release(Acquire(kKept));  // Finds that `refilled` is in use again.
  EXPECT_EQ(classes_.Get(refilled).priority, -2);
  EXPECT_EQ(Acquire(0), first);
  EXPECT_EQ(classes_.serial(first), serial);
  classes_.Release(first);

  for (int32_t i = 1; i < kKept + 1; ++i) classes_.Release(Acquire(-10 - i));
  const PodClassId again = Acquire(0);
  EXPECT_NE(classes_.serial(again), serial);
  EXPECT_EQ(classes_.Get(again).priority, 0);
  EXPECT_EQ(classes_.Get(held).priority, -1);
  EXPECT_LE(classes_.capacity(), size_t{kKept} + 4);
}

TEST_F(PodClassesTest, RetainedClassOutlivesItsPods) {
  const PodClassId id = Acquire(1);
  const uint64_t serial = classes_.serial(id);
  classes_.Retain(id);
  classes_.Release(id);
  for (int32_t i = 2; i < 3000; ++i) classes_.Release(Acquire(i));
  EXPECT_EQ(classes_.serial(id), serial);
  EXPECT_EQ(classes_.Get(id).priority, 1);
  EXPECT_EQ(Acquire(1), id);
}

TEST_F(PodClassesTest, AnIdThatIsUsedAgainHasAnotherSerial) {
  const PodClassId id = Acquire(1);
  const uint64_t serial = classes_.serial(id);
  classes_.Release(id);
  for (int32_t i = 2; i < 3000; ++i) classes_.Release(Acquire(i));
  for (int32_t i = 3000; classes_.serial(id) == serial && i < 6000; ++i) Acquire(i);
  EXPECT_NE(classes_.serial(id), serial);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
