#include "daemon/process_events.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

#include "observability/thread_stacks.h"
#include "runtime/stray_signals.h"

namespace berth::daemon {
namespace {

// SIGPIPE is taken to be ignored: a broken pipe of the log does not end the scheduler.
sigset_t TakenSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE})
    sigaddset(&signals, signal);
  // Closing the terminal ends the scheduler, unless it was started with nohup.
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaddset(&signals, SIGHUP);
  return signals;
}

}  // namespace

ProcessEvents::ProcessEvents() {
  const sigset_t signals = TakenSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  runtime::BlockStraySignals();
  signals_ = std::thread([this] { TakeSignals(); });
}

ProcessEvents::~ProcessEvents() {
  stopping_ = true;
  pthread_kill(signals_.native_handle(), SIGUSR2);
  signals_.join();
}

void ProcessEvents::TakeSignals() {
  observability::EnterThread("signals");
  const sigset_t signals = TakenSignals();
  bool ending = false;
  for (int signal = 0; sigwait(&signals, &signal) == 0 && !stopping_;) {
    if (signal == SIGUSR1) Post(ProcessEvent::kReport);
    if (signal == SIGUSR2) Post(ProcessEvent::kDump);
    if (signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGPIPE) continue;
    if (ending) _exit(1);
    ending = true;
    Post(ProcessEvent::kEnd);
  }
}

void ProcessEvents::Post(ProcessEvent what) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(what);
  }
  changed_.notify_one();
}

ProcessEvent ProcessEvents::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !waiting_.empty(); });
  const ProcessEvent next = waiting_.front();
  waiting_.pop_front();
  return next;
}

}  // namespace berth::daemon
