// The two events of a process that the system reports to functions without arguments: exit(), where a capture in a
// static or in a host of another language would stay unwritten, and fork(), after which the child has only the thread
// that forked. Servers fork after they have loaded (gunicorn, Ray, vLLM): whatever has a thread of its own, or a lock
// that another thread may hold at that moment, listens here.
// For locks around calls into the host's code, see inherited.h.
#pragma once

#include <mutex>
#include <vector>

namespace gemmtune {

class ProcessListener {
 public:
  virtual ~ProcessListener() = default;
  virtual void before_exit() noexcept {}

  // In the thread that forks; exactly one of the last two follows the first in each process. before_fork() may wait
  // only for locks that are held for a moment, and never around a call into the host's code, which may fork itself.
  virtual void before_fork() noexcept {}
  virtual void after_fork_in_parent() noexcept {}
  virtual void after_fork_in_child() noexcept {}
};

class ProcessEvents {
 public:
  /// Created with the first listener and never destroyed: listeners in statics may be destroyed last.
  static ProcessEvents& of_process();

  void add(ProcessListener& listener);
  void remove(ProcessListener& listener);

 private:
  ProcessEvents();

  std::mutex mutex_;
  std::vector<ProcessListener*> listeners_;
};

}  // namespace gemmtune
