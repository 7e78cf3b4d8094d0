// Four floats in the compiler's generic vectors, for every CPU. Only for float_portable.cpp.
#pragma once

#include <cstring>

#include "gemmtune/families/cpu_tile/float_kernels.h"
#include "gemmtune/gemm/numeric.h"

namespace gemmtune::cpu_tile {
namespace {

struct VecPortable {
  typedef float Type __attribute__((vector_size(16)));

  static constexpr int width = 4;
  static constexpr int registers = 16;

  static Type zero() { return Type{}; }
  static Type set1(float value) { return Type{value, value, value, value}; }
  static Type broadcast(const float* from) { return set1(*from); }
  static Type mul(Type a, Type b) { return a * b; }
  static Type add(Type a, Type b) { return a + b; }
  static Type multiply_add(Type a, Type b, Type c) { return a * b + c; }
  static float sum(Type a) { return (a[0] + a[1]) + (a[2] + a[3]); }

  static Type load(const float* from) {
    Type value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  static void store(float* to, Type value) { std::memcpy(to, &value, sizeof value); }

  template <Source S>
  static Type load_source(const std::byte* from) {
    Type value{};
    for (int i = 0; i < width; ++i) value[i] = decode<S>(from, i);
    return value;
  }

  static void transpose(Type (&rows)[width]) {
    for (int i = 0; i < width; ++i) {
      for (int j = i + 1; j < width; ++j) {
        const float swapped = rows[i][j];
        rows[i][j] = rows[j][i];
        rows[j][i] = swapped;
      }
    }
  }

  template <Sink T>
  struct Out {
    static constexpr std::int64_t bytes = T == Sink::f32 ? 4 : 2;

    static Type load(const std::byte* from) {
      return load_source < T == Sink::f32 ? Source::f32 : T == Sink::bf16 ? Source::bf16 : Source::f16 > (from);
    }
    static void store(std::byte* to, Type value) {
      if constexpr (T == Sink::f32) {
        std::memcpy(to, &value, sizeof value);
      } else {
        std::uint16_t rounded[width];
        for (int i = 0; i < width; ++i) rounded[i] = T == Sink::bf16 ? float_to_bf16(value[i]) : float_to_f16(value[i]);
        std::memcpy(to, rounded, sizeof rounded);
      }
    }
  };

 private:
  template <typename T>
  static T at(const std::byte* from, int i) {
    T value;
    std::memcpy(&value, from + i * static_cast<int>(sizeof(T)), sizeof value);
    return value;
  }

  template <Source S>
  static float decode(const std::byte* from, int i) {
    if constexpr (S == Source::bf16) return bf16_to_float(at<std::uint16_t>(from, i));
    if constexpr (S == Source::f16) return f16_to_float(at<std::uint16_t>(from, i));
    if constexpr (S == Source::e4m3) return e4m3_to_float(at<std::uint8_t>(from, i));
    if constexpr (S == Source::e4m3fnuz) return e4m3fnuz_to_float(at<std::uint8_t>(from, i));
    if constexpr (S == Source::i8) return static_cast<float>(at<std::int8_t>(from, i));
    return at<float>(from, i);
  }
};

}  // namespace
}  // namespace gemmtune::cpu_tile
