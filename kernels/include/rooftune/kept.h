// What a variant keeps between <function>_prepare, its calls and <function>_finish. A source has at
// most one: an application that links the variant may prepare several problems, each with a State
// of its own, and an exported library says which one is meant.
#pragma once

namespace rooftune {

/// How a library handles the states of a variant; empty where the variant has none.
struct KeptState {
  void* (*make)() = nullptr;
  void (*destroy)(void*) = nullptr;
  void (*use)(void*) = nullptr;  ///< not while the variant runs
};
inline KeptState kept_state{};

template <class State>
class Kept {
 public:
  Kept() {
    kept_state.make = []() -> void* { return new State{}; };
    kept_state.destroy = [](void* state) { delete static_cast<State*>(state); };
    kept_state.use = [](void* state) { current_ = static_cast<State*>(state); };
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  State* operator->() const { return current_; }
  State& operator*() const { return *current_; }

 private:
  static inline State own_{};
  static inline State* current_ = &own_;
};

}  // namespace rooftune
