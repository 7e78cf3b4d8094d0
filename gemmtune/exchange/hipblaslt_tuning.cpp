#include "gemmtune/exchange/hipblaslt_tuning.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "gemmtune/core/csv.h"
#include "gemmtune/core/error.h"
#include "gemmtune/core/text.h"
#include "gemmtune/exchange/blas_call.h"
#include "gemmtune/exchange/blas_types.h"
#include "gemmtune/exchange/library_words.h"

namespace gemmtune {
namespace {

constexpr std::string_view git_version_mark = "Git Version:";
constexpr std::string_view hipblaslt_columns =
    "transA,transB,grouped_gemm,batch_count,m,n,k,alpha,lda,stride_a,beta,ldb,stride_b,ldc,stride_c,ldd,stride_d,"
    "a_type,b_type,c_type,d_type,compute_type,scaleA,scaleB,scaleC,scaleD,amaxD,activation_type,bias_vector,bias_type,"
    "rotating_buffer,hipblaslt-Gflops,hipblaslt-GB/s,us,solution_index,kernel_name";

using Cells = std::vector<std::string_view>;

Cells cells_of(std::string_view line) {
  Cells cells;
  for (const auto cell : split(line, ',')) cells.push_back(trim(cell));
  return cells;
}

bool is_header(const Cells& cells) { return equals_ignoring_case(cells.front(), "transA"); }

/// A row under the header that stands last above it.
class Row {
 public:
  Row(const Cells& header, const Cells& cells, AmdLibrary library)
      : header_(&header), cells_(&cells), library_(library) {}

  std::string_view cell(std::string_view name) const {
    const auto at = std::ranges::find_if(*header_, [&](auto column) { return equals_ignoring_case(column, name); });
    const auto index = static_cast<std::size_t>(at - header_->begin());
    return index < cells_->size() ? (*cells_)[index] : std::string_view();
  }

  /// rocBLAS has other names for the types.
  std::string_view word(std::string_view name) const {
    if (library_ == AmdLibrary::hipblaslt) return cell(name);
    if (name == "a_type" || name == "b_type") return cell("input_type");
    return cell(name == "d_type" ? "output_type" : name);
  }

 private:
  const Cells* header_;
  const Cells* cells_;
  AmdLibrary library_;
};

LibraryChoice choice_of(const Row& row) {
  const auto index = parse_int(row.cell("solution_index"));
  if (!index) fail(ErrorCode::input, "solution_index: found '{}', expected a number", row.cell("solution_index"));
  return {.problem = problem_of_words([&](std::string_view name) { return row.word(name); }),
          .solution_index = *index,
          .kernel_name = std::string(row.cell("kernel_name")),
          .time_us = parse_double(row.cell("us")).value_or(0)};
}

class Reader {
 public:
  Reader(AmdLibrary library, const std::string& source) : source_(source) { tuning_.library = library; }

  void read(std::string_view line) {
    ++number_;
    if (line.empty()) return;
    if (line.starts_with(git_version_mark)) {
      tuning_.git_version = trim(line.substr(git_version_mark.size()));
      return;
    }
    const auto cells = cells_of(line);
    if (is_header(cells))
      header_ = cells;
    else
      read_row(cells);
  }

  LibraryTuning take() { return std::move(tuning_); }

 private:
  void read_row(const Cells& cells) {
    const auto where = fmt::format("{}:{}", source_, number_);
    try {
      if (cells.size() != header_.size())
        fail(ErrorCode::input, "{} cells, the header has {}", cells.size(), header_.size());
      tuning_.choices.push_back(choice_of({header_, cells, tuning_.library}));
      tuning_.choices.back().where = where;
    } catch (const Error& error) {
      tuning_.rejected.push_back({where + ":1", error.what()});
    }
  }

  std::string source_;
  std::int64_t number_{};
  Cells header_;
  LibraryTuning tuning_;
};

int scale_number(Scaling scaling) { return scaling == Scaling::none ? 0 : scaling == Scaling::tensor ? 1 : 2; }

std::string_view activation_word(Activation activation) {
  switch (activation) {
    case Activation::relu:
      return "relu";
    case Activation::gelu_tanh:
      return "gelu";
    case Activation::silu:
      return "swish";
    default:
      return "none";
  }
}

std::string row_text(const LibraryChoice& choice) {
  const auto& problem = choice.problem;
  const auto call = blas_call_of(problem);
  const auto letter = [](bool transposed) { return transposed ? 'T' : 'N'; };
  const auto c_type = blas_type_name(call.out);
  auto text = fmt::format("{},{},0,{},{},{},{},1,{},{},{},{},{},{},{},{},{},", letter(call.transpose_a),
                          letter(call.transpose_b), call.batch, call.m, call.n, call.k, call.lda, call.stride_a,
                          problem.epilogue.residual ? 1 : 0, call.ldb, call.stride_b, call.ldc, call.stride_c, call.ldc,
                          call.stride_c);
  text += fmt::format("{},{},{},{},{},{},{},0,0,0,{},{},{},", blas_type_name(call.a.type), blas_type_name(call.b.type),
                      c_type, c_type, call.a.type == DType::tf32 ? "xf32_r" : "f32_r", scale_number(call.a.scaling),
                      scale_number(call.b.scaling), activation_word(problem.epilogue.activation),
                      problem.epilogue.bias ? 1 : 0, c_type);
  text += fmt::format("0,{},{},{},{},{}\n", shortest(tflops(problem, choice.time_us) * 1000),
                      shortest(bandwidth_gbps(problem, choice.time_us)), shortest(choice.time_us),
                      choice.solution_index, choice.kernel_name);
  return text;
}

bool is_scaled_as_known(const Side& side) { return scale_number(side.scaling) < 2 || side.scaling == Scaling::row; }

}  // namespace

std::optional<AmdLibrary> tuning_file_of(std::string_view first_line) {
  const auto cells = cells_of(first_line);
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(cells, [&](auto cell) { return equals_ignoring_case(cell, name); });
  };
  if (first_line.starts_with(git_version_mark)) return AmdLibrary::hipblaslt;
  if (!is_header(cells) || !has("solution_index")) return std::nullopt;
  return has("input_type") ? AmdLibrary::rocblas : AmdLibrary::hipblaslt;
}

LibraryTuning read_library_tuning(std::string_view text, const std::string& source) {
  const auto first = trim(text.substr(0, text.find('\n')));
  Reader reader(tuning_file_of(first).value_or(AmdLibrary::hipblaslt), source);
  for (const auto line : split(text, '\n')) reader.read(trim(line));
  return reader.take();
}

std::string why_no_hipblaslt(const Problem& problem) {
  if (problem.packed) return "hipBLASLt's file does not say packed weights";
  if (blas_type_name(problem.a.type).empty() || blas_type_name(problem.w.type).empty() || problem.a.type == DType::e2m1)
    return "hipBLASLt's file does not say these types";
  if (!is_scaled_as_known(problem.a) || !is_scaled_as_known(problem.w))
    return "hipBLASLt's file does not say scales of blocks";
  return problem.epilogue.activation == Activation::gelu_erf ? "hipBLASLt has no such GELU" : "";
}

std::string hipblaslt_tuning_text(std::string_view git_version, const std::vector<LibraryChoice>& choices) {
  auto text = fmt::format("{} {}\n", git_version_mark, git_version);
  for (const auto& choice : choices) text += fmt::format("{}\n{}", hipblaslt_columns, row_text(choice));
  return text;
}

}  // namespace gemmtune
