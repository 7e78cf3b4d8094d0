// The worker's end of the protocol: any Evaluator behind JSON lines.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

/// Makes the evaluator for a device id; called after stdout is safe, since it may load libraries that print.
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>(const std::string& device)>;

/// Serves requests from stdin until "bye" or end of file. Moves file descriptor 1 away first: what libraries and
/// kernels print goes to stderr, and only the protocol reaches the real stdout. Returns the process's exit code: also
/// when the device is lost, after the evaluation that says so, since only another process can go on.
int serve_on_stdio(const EvaluatorFactory& make_evaluator, const std::string& device);

/// The same on given streams: for tests.
int serve(std::istream& requests, std::ostream& replies, Evaluator& evaluator);

}  // namespace gemmtune
