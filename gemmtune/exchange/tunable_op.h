// The keys of PyTorch's TunableOp: an operation and its parameters, as its files have them.
//   GemmTunableOp_BFloat16_TN,tn_256_37_7168_ld_7168_7168_256
// tunable_op_file.h has the files.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "gemmtune/gemm/problem.h"

namespace gemmtune {

/// Whether a line is an operation or a validator of such a file.
bool is_tunable_op_line(std::string_view line);

/// A call that PyTorch tunes.
struct TunedCall {
  Problem problem{};
  bool fast_accumulation{};  // only products with scales say it

  auto operator<=>(const TunedCall&) const = default;
};

/// The call of a line that begins with an operation and its parameters. Throws Error{input} that says what was found.
TunedCall tunable_op_call(std::string_view line);

/// Whose build of PyTorch: keys of scaled products differ.
enum class TorchBuild { cuda, rocm };

struct TunableOpKey {
  std::string operation{};
  std::string parameters{};

  auto operator<=>(const TunableOpKey&) const = default;
};

/// Why PyTorch never looks a problem up, or does so by a key that does not say it whole; "" if it does.
std::string why_no_tunable_op(const Problem& problem);

/// The key under which PyTorch looks the call up, byte for byte. Only if why_no_tunable_op() is "".
TunableOpKey tunable_op_key(const TunedCall& call, TorchBuild build);

}  // namespace gemmtune
