// Tells by its name and its first lines which other tool wrote a file, and lists its shapes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "gemmtune/shapes/shape_list.h"

namespace gemmtune {

enum class ForeignFile { tunable_op, amd_tuning, hipblaslt_log, cublaslt_log, server_config };

/// Nothing for a file of none of them.
std::optional<ForeignFile> foreign_file(const std::filesystem::path& path, std::string_view text);

/// "a file of PyTorch's TunableOp"
std::string_view describe(ForeignFile file);

/// What foreign_file() knows, for messages.
std::string known_foreign_files();

/// Each problem once. Throws Error{input} for a file of none of the tools, and for fused MoE, whose files do not say K.
ShapeList foreign_shapes(const std::filesystem::path& path, std::string_view text);

}  // namespace gemmtune
