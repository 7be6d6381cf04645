#include "observability/crash_report.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include "observability/stack.h"
#include "observability/thread_stacks.h"

namespace berth::observability {
namespace {

// Sanitizers report crashes themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kHasSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kHasSanitizer = true;
#else
constexpr bool kHasSanitizer = false;
#endif
#else
constexpr bool kHasSanitizer = false;
#endif

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
// How long the names of functions may take. They are computed in a process of their own, because
// the demangler allocates and the heap may be damaged.
constexpr unsigned kNamesSeconds = 10;

char g_program[256] = "berth";
std::atomic<int> g_crashed_thread = 0;
std::atomic<void (*)(void*)> g_finish = nullptr;
std::atomic<void*> g_finish_data = nullptr;

void Write(void*, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}
void Write(std::string_view text) { Write(nullptr, text); }

void WriteNumber(uint64_t number, uint64_t base) {
  char digits[24];
  size_t at = sizeof digits;
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
  } while (number > 0);
  Write({digits + at, sizeof digits - at});
}

std::string_view NameOf(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? "?" : name;
}

void WriteHead(int signal, const siginfo_t& info, int thread) {
  char name[16] = {};
  pthread_getname_np(pthread_self(), name, sizeof name);
  Write("\n");
  Write(g_program);
  Write(" has crashed: SIG");
  Write(NameOf(signal));
  // One that a process sent has no address.
  if ((signal == SIGSEGV || signal == SIGBUS) && info.si_code > 0) {
    Write(" at address 0x");
    WriteNumber(reinterpret_cast<uintptr_t>(info.si_addr), 16);
  }
  Write(", thread ");
  WriteNumber(static_cast<uint64_t>(thread), 10);
  Write(" \"");
  Write(name);
  Write("\":\n");
}

void WriteNames(const Stack& stack) {
  const pid_t child = _Fork();
  if (child == 0) {
    for (const int signal : kSignals) std::signal(signal, SIG_DFL);
    std::signal(SIGALRM, SIG_DFL);
    sigset_t alarm_signal;
    sigemptyset(&alarm_signal);
    sigaddset(&alarm_signal, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarm_signal, nullptr);
    alarm(kNamesSeconds);
    WriteStack(stack, Names::kDemangled, &Write, nullptr);
    _exit(0);
  }
  int status = 1;
  if (child > 0) {
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (status != 0) WriteStack(stack, Names::kMangled, &Write, nullptr);
}

void OnCrash(int signal, siginfo_t* info, void*) {
  const int self = static_cast<int>(syscall(SYS_gettid));
  int none = 0;
  if (g_crashed_thread.compare_exchange_strong(none, self)) {
    WriteHead(signal, *info, self);
    WriteNames(CaptureStack(1));
    if (auto* finish = g_finish.load()) finish(g_finish_data);
  } else if (none != self) {
    // Another thread has crashed before, and ends the process.
    for (;;) pause();
  } else {
    Write("berth: crashed again while it reported that\n");
  }
  std::signal(signal, SIG_DFL);
  // A fault repeats when the handler returns, with all that a core dump shows; others are sent
  // again.
  if (info->si_code <= 0 || signal == SIGABRT) raise(signal);
}

[[noreturn]] void OnTerminate() {
  if (const std::exception_ptr thrown = std::current_exception()) {
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      Write("berth: an exception was not caught: ");
      Write(error.what());
      Write("\n");
    } catch (...) {
      Write("berth: an exception was not caught\n");
    }
  }
  std::abort();
}

}  // namespace

void SetCrashHook(void (*finish)(void* data), void* data) {
  g_finish = nullptr;
  g_finish_data = data;
  g_finish = finish;
}

void ReportCrashes(const std::string& program) {
  const size_t size = std::min(program.size(), sizeof g_program - 1);
  std::memcpy(g_program, program.data(), size);
  g_program[size] = '\0';
  if (kHasSanitizer) return;
  EnterThread("main");
  std::set_terminate(&OnTerminate);
  // Loads what unwinding needs now, while that may allocate.
  static_cast<void>(CaptureStack());
  struct sigaction action = {};
  action.sa_sigaction = &OnCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (const int signal : kSignals) sigaction(signal, &action, nullptr);
}

}  // namespace berth::observability
