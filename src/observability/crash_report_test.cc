// What a crash writes, with the names of functions; and the stacks of running threads.
#include "observability/crash_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <stdexcept>
#include <thread>

#include "base/check.h"
#include "observability/stack.h"
#include "observability/thread_stacks.h"

namespace berth::observability {

// Not in BERTH_TEST_FILE: their names are expected.
[[gnu::noinline]] void CrashInTheTest(volatile int* where) { *where = 1; }
[[gnu::noinline]] int OverflowTheStack(int64_t depth) {
  volatile char more[4096];
  more[0] = static_cast<char>(depth);
  return depth == 0 ? 0 : OverflowTheStack(depth - 1) + more[0];
}
[[gnu::noinline]] void SpinUntil(const std::atomic<bool>& stop, std::atomic<bool>& spins) {
  while (!stop) spins = true;
}

namespace BERTH_TEST_FILE {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::KilledBySignal;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)

TEST(CrashReport, NamesTheSignalTheThreadAndTheFunctions) {
  EXPECT_EXIT(
      {
        ReportCrashes("some-program 1.2.3 (commit abc)");
        EnterThread("a-thread");
        CrashInTheTest(nullptr);
      },
      KilledBySignal(SIGSEGV),
      AllOf(
          HasSubstr("some-program 1.2.3 (commit abc) has crashed: SIGSEGV at address 0x0, thread "),
          HasSubstr("\"a-thread\":\n"),
          ContainsRegex(
              "    #[0-9]+ berth::observability::CrashInTheTest\\(int volatile\\*\\)\\+0x"),
          HasSubstr("main")));
}

TEST(CrashReport, AFailedCheckHasAStack) {
  EXPECT_EXIT(
      {
        ReportCrashes("p");
        CHECK(1 + 1 == 3);
      },
      KilledBySignal(SIGABRT),
      AllOf(HasSubstr("CHECK(1 + 1 == 3) failed"), HasSubstr("p has crashed: SIGABRT"),
            HasSubstr("berth::CheckFailed(")));
}

TEST(CrashReport, AnExceptionThatNobodyCaughtIsNamed) {
  EXPECT_EXIT(
      {
        ReportCrashes("p");
        std::thread([] { throw std::runtime_error("no memory for that"); }).join();
      },
      KilledBySignal(SIGABRT),
      AllOf(HasSubstr("an exception was not caught: no memory for that\n"),
            HasSubstr("p has crashed: SIGABRT"), HasSubstr("    #")));
}

TEST(CrashReport, AStackThatOverflowedIsReported) {
  EXPECT_EXIT(
      {
        ReportCrashes("p");
        OverflowTheStack(INT64_MAX);
      },
      KilledBySignal(SIGSEGV), HasSubstr("berth::observability::OverflowTheStack("));
}

TEST(CrashReport, TheHookRunsBeforeTheEnd) {
  EXPECT_EXIT(
      {
        ReportCrashes("p");
        static const char* const kText = "finished\n";
        SetCrashHook([](void* data) { std::fputs(static_cast<const char*>(data), stderr); },
                     const_cast<char*>(kText));
        std::abort();
      },
      KilledBySignal(SIGABRT), HasSubstr("finished\n"));
}

#endif

TEST(ThreadStacks, ShowWhereAThreadIsThatDoesNotHelp) {
  std::atomic<bool> stop = false, spins = false;
  std::thread thread([&] {
    EnterThread("spinner");
    SpinUntil(stop, spins);
  });
  while (!spins) std::this_thread::yield();
  const std::string text = StacksText();
  stop = true;
  thread.join();
  EXPECT_THAT(text, AllOf(ContainsRegex("thread [0-9]+ \"spinner\":\n"),
                          HasSubstr("berth::observability::SpinUntil("), HasSubstr(" main+0x")));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability
