#include "gemmtune/preload/thread_calls.h"

#include <exception>

namespace gemmtune::preload {
namespace {

/// Apart from their owner below, so that a call touches nothing with a constructor or destructor.
struct Current {
  ThreadCalls* calls{};
  bool is_over{};  // the thread ends, or has no memory, or nothing is served
};

constinit thread_local Current current{};

struct Owner {
  std::unique_ptr<ThreadCalls> calls{};

  ~Owner() { current = {.is_over = true}; }
};

[[gnu::noinline]] ThreadCalls* new_calls() noexcept {
  static thread_local Owner owner;
  auto* const serving = Serving::of_process();
  if (serving == nullptr) {
    current.is_over = true;
    return nullptr;
  }
  try {
    owner.calls = std::make_unique<ThreadCalls>(*serving);
    current.calls = owner.calls.get();
  } catch (const std::exception&) {
    current.is_over = true;
  }
  return current.calls;
}

}  // namespace

ThreadCalls* ThreadCalls::of_this_thread() noexcept {
  return current.calls != nullptr || current.is_over ? current.calls : new_calls();
}

const Served* ThreadCalls::find(cublasLtHandle_t handle, const Descriptors& descriptors) noexcept {
  const auto& bytes = serving_.bytes();
  if (!bytes.is_known()) return found(handle, read_call(serving_.library(), descriptors), &descriptors);
  const auto hash = bytes.hash(handle, descriptors);
  auto& slot = slots_[hash % slot_count];
  const bool is_known = slot.served.is_current() && slot.key.hash == hash && bytes.is_of(slot.key, handle, descriptors);
  if (is_known) return &slot.served;
  slot.served = *found(handle, read_call(serving_.library(), descriptors), &descriptors);
  bytes.read(handle, descriptors, slot.key);
  return &slot.served;
}

const Served* ThreadCalls::find_adding(cublasLtHandle_t handle, const Descriptors& descriptors) noexcept {
  auto call = read_call(serving_.library(), descriptors);
  call.adds_c = true;
  return found(handle, call, &descriptors);
}

const Served* ThreadCalls::found(cublasLtHandle_t handle, const LibraryCall& call,
                                 const Descriptors* descriptors) noexcept {
  try {
    return &known(handle, call, descriptors);
  } catch (const std::exception&) {
    return &none_;
  }
}

const Served& ThreadCalls::known(cublasLtHandle_t handle, const LibraryCall& call, const Descriptors* descriptors) {
  if (known_.size() >= most_known) known_.clear();
  auto& served = known_[{handle, call}];
  if (!served.is_current()) served = serving_.serve(call, handle, descriptors);
  return served;
}

}  // namespace gemmtune::preload
