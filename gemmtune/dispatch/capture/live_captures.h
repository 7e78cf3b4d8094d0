// The captures of this process, for two events that the system reports to functions without arguments. At exit(), a
// capture in a static or in a host of another language would otherwise stay unwritten. After fork(), the child must not
// write what its parent counted.
#pragma once

#include <mutex>
#include <vector>

namespace gemmtune {

class LiveCapture {
 public:
  virtual ~LiveCapture() = default;
  virtual void write_before_exit() noexcept = 0;

  // These run on the thread that forks. In each process, before_fork() is followed by exactly one of the other two.
  virtual void before_fork() noexcept = 0;
  virtual void after_fork_in_parent() noexcept = 0;
  virtual void after_fork_in_child() noexcept = 0;
};

class LiveCaptures {
 public:
  /// Created with the first capture and never destroyed: captures in statics may be destroyed last.
  static LiveCaptures& of_process();

  void add(LiveCapture& capture);
  void remove(LiveCapture& capture);

 private:
  LiveCaptures();

  std::mutex mutex_;
  std::vector<LiveCapture*> captures_;
};

}  // namespace gemmtune
