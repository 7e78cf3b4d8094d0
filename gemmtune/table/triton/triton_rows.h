// Converts Triton configuration files to rows of a CSV and back, for tables that hold both kinds of kernels.
//
// A row becomes part of a file if it states
//   where    its column `file`; or its device (gfx, or cu_num by AITER's rule), N, K and maybe B. A row without N and
//            K belongs to the default file.
//   when     M, which chooses the bucket; or its column `bucket`, which has the key itself.
//   what     the kernel's parameters: columns named as in the files (BLOCK_SIZE_M, num_warps, …; any column after
//            `bucket`), or else the parameters in kernelName (triton_params.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gemmtune/core/csv.h"
#include "gemmtune/table/triton/triton_json.h"
#include "gemmtune/table/triton/triton_name.h"
#include "gemmtune/table/triton/triton_rule.h"

namespace gemmtune {

struct TritonRow {
  std::string where{};  // file:line:column
  TritonName name{};    // name of the file that it belongs to
  std::int64_t m{};     // 0 if only the bucket is known
  std::string bucket{};
  double time_us{};  // 0 if there is no time
  std::vector<Param> params{};
};

/// A row or an entry that has no counterpart, and the reason.
struct LeftOut {
  std::string where{};
  std::string reason{};

  bool operator==(const LeftOut&) const = default;
};

struct TritonRows {
  std::vector<TritonRow> rows{};
  std::vector<LeftOut> left_out{};
};

/// `unsaid` supplies what a row does not state about its file: the kernel and the tag, and the device if the row has
/// none.
TritonRows triton_rows(const CsvDocument& document, const TritonName& unsaid);

struct NamedTritonFile {
  TritonName name{};
  TritonFile file{};
};

struct TritonFiles {
  std::vector<NamedTritonFile> files{};
  std::vector<LeftOut> left_out{};
};

/// Makes one file for each device, kernel, tag and sizes, in the order of their names. If several rows are in one
/// bucket, the one with the largest M is used, and among equal M the fastest. The configuration of the largest M is
/// also the file's `any`, unless all rows of the file name their buckets. In each bucket, default files hold the most
/// common configuration of the other files, unless rows give one.
TritonFiles triton_files(const std::vector<TritonRow>& rows, TritonKeys keys);

struct TritonCsv {
  std::string text{};
  std::vector<LeftOut> left_out{};
};

/// A table with a row for each entry. M is the largest that the entry is used for (the smallest if there is no largest;
/// empty if no M reaches the entry). us is 0, because a configuration file states no times.
TritonCsv triton_csv(const std::vector<NamedTritonFile>& files);

}  // namespace gemmtune
