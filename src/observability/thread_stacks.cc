#include "observability/thread_stacks.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "observability/stack.h"

namespace berth::observability {
namespace {

constexpr int kSignal = SIGURG;
constexpr std::chrono::milliseconds kPatience{100};
constexpr std::chrono::microseconds kPoll{200};

// What the signal handler of one thread at a time fills. A handler that runs too late finds that
// another thread, or none, is asked.
struct Question {
  std::atomic<int> thread = 0;
  std::atomic<bool> answered = false;
  Stack stack;
};
Question& TheQuestion() {
  static Question question;
  return question;
}

int OwnId() { return static_cast<int>(syscall(SYS_gettid)); }

void OnSignal(int) {
  const int before = errno;
  Question& question = TheQuestion();
  int self = OwnId();
  if (question.thread.compare_exchange_strong(self, 0)) {
    question.stack = CaptureStack(1);
    question.answered = true;
  }
  errno = before;
}

void PrepareSignal() {
  struct sigaction action = {};
  action.sa_handler = &OnSignal;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(kSignal, &action, nullptr);
}

std::string NameOf(int thread) {
  const std::string path = fmt::format("/proc/self/task/{}/comm", thread);
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  char text[32] = {};
  const ssize_t size = read(file, text, sizeof text);
  close(file);
  std::string name(text, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  name.erase(std::ranges::find(name, '\n'), name.end());
  return name;
}

std::vector<int> AllThreads() {
  std::vector<int> threads;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::string name = entry.path().filename();
    int id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc())
      threads.push_back(id);
  }
  std::ranges::sort(threads);
  return threads;
}

std::string StackOf(int thread) {
  Question& question = TheQuestion();
  question.answered = false;
  question.thread = thread;
  if (syscall(SYS_tgkill, getpid(), thread, kSignal) != 0) return "    has ended\n";
  for (auto waited = std::chrono::microseconds(0); waited < kPatience; waited += kPoll) {
    if (question.answered) return StackText(question.stack);
    std::this_thread::sleep_for(kPoll);
  }
  int asked = thread;
  // It has begun to answer if it is no longer asked.
  if (question.thread.compare_exchange_strong(asked, 0)) return "    does not respond\n";
  while (!question.answered) std::this_thread::sleep_for(kPoll);
  return StackText(question.stack);
}

// A stack for signal handlers: that of the thread may have overflowed.
class SignalStack {
 public:
  SignalStack() : memory_(std::make_unique<char[]>(kBytes)) {}
  ~SignalStack() {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

  void Use() const {
    stack_t stack = {};
    stack.ss_sp = memory_.get();
    stack.ss_size = kBytes;
    sigaltstack(&stack, nullptr);
  }

 private:
  static constexpr size_t kBytes = 64 << 10;
  const std::unique_ptr<char[]> memory_;
};

}  // namespace

void EnterThread(const char* name) {
  pthread_setname_np(pthread_self(), std::string(name).substr(0, 15).c_str());
  thread_local SignalStack stack;
  stack.Use();
}

std::vector<ThreadStack> StacksOfAllThreads() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  PrepareSignal();
  std::vector<ThreadStack> stacks;
  for (const int thread : AllThreads()) {
    const std::string text = thread == OwnId() ? StackText(CaptureStack(1)) : StackOf(thread);
    stacks.push_back({thread, NameOf(thread), text});
  }
  return stacks;
}

std::string StacksText() {
  std::string text;
  for (const ThreadStack& stack : StacksOfAllThreads())
    text += fmt::format("thread {} \"{}\":\n{}", stack.id, stack.name, stack.text);
  return text;
}

}  // namespace berth::observability
