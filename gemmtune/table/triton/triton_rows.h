// Triton configuration files as rows of a CSV and back, for tables that hold both kinds of kernels.
//
// A row becomes part of a file when it says
//   where    its column `file`; or its device (gfx, or cu_num by AITER's rule), N, K and maybe B. A row without N and K
//            belongs to the default file.
//   when     M, which chooses the bucket; or its column `bucket` with the key itself.
//   what     the kernel's parameters: columns named as in the files (BLOCK_SIZE_M, num_warps, …; any column behind
//            `bucket`), else those in kernelName (triton_params.h).
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
  TritonName name{};    // of the file it belongs to
  std::int64_t m{};     // 0 where only the bucket is known
  std::string bucket{};
  double time_us{};  // 0: none
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

/// `unsaid` is for rows that do not state their file: its kernel and tag, and its device if the row has none.
TritonRows triton_rows(const CsvDocument& document, const TritonName& unsaid);

struct NamedTritonFile {
  TritonName name{};
  TritonFile file{};
};

struct TritonFiles {
  std::vector<NamedTritonFile> files{};
  std::vector<LeftOut> left_out{};
};

/// One file for each device, kernel, tag and sizes, in the order of their names. Of several rows in one bucket the
/// one with the largest M serves; of equal M, the fastest. The configuration of the largest M is also the file's
/// `any`, unless all its rows name their buckets. In each bucket, default files hold the most common configuration of
/// the other files, unless rows give one.
TritonFiles triton_files(const std::vector<TritonRow>& rows, TritonKeys keys);

struct TritonCsv {
  std::string text{};
  std::vector<LeftOut> left_out{};
};

/// A table with a row for each entry. M is the largest that the entry serves (the smallest if there is no largest;
/// empty if no M reaches the entry). us is 0, because a configuration file states no times.
TritonCsv triton_csv(const std::vector<NamedTritonFile>& files);

}  // namespace gemmtune
