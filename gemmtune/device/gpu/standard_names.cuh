// The few names of the standard library that code shared by host and device uses. Run-time compilers need them, because
// they have no standard headers.
#pragma once

namespace std {

using int8_t = signed char;
using uint8_t = unsigned char;
using int16_t = short;
using uint16_t = unsigned short;
using int32_t = int;
using uint32_t = unsigned;
using int64_t = long;  // as on the host, so that the types agree
using uint64_t = unsigned long;
using size_t = unsigned long;

template <typename To, typename From>
constexpr To bit_cast(const From& from) {
  return __builtin_bit_cast(To, from);
}

template <typename T>
constexpr const T& min(const T& a, const T& b) {
  return b < a ? b : a;
}
template <typename T>
constexpr const T& max(const T& a, const T& b) {
  return a < b ? b : a;
}

template <typename T, size_t n>
struct array {
  T values[n];
  constexpr T& operator[](size_t i) { return values[i]; }
  constexpr const T& operator[](size_t i) const { return values[i]; }
  constexpr const T* begin() const { return values; }
  constexpr const T* end() const { return values + n; }
};

template <typename T>
struct numeric_limits;
template <>
struct numeric_limits<float> {
  static constexpr float max() { return 0x1.fffffep127F; }
  static constexpr float quiet_NaN() { return bit_cast<float>(0x7fc00000U); }
};
template <>
struct numeric_limits<double> {
  static constexpr double infinity() { return bit_cast<double>(0x7ff0000000000000UL); }
};

inline int countl_zero(uint32_t bits) { return __clz(static_cast<int>(bits)); }
inline double fabs(double value) { return ::fabs(value); }
inline double tanh(double value) { return ::tanh(value); }
inline double erf(double value) { return ::erf(value); }
inline double exp(double value) { return ::exp(value); }
inline bool isnan(double value) { return value != value; }
inline bool isinf(double value) { return ::fabs(value) == numeric_limits<double>::infinity(); }
inline bool signbit(double value) { return bit_cast<int64_t>(value) < 0; }

}  // namespace std
