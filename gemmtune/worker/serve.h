// The worker's end of the protocol: serves any Evaluator over JSON lines.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "gemmtune/evaluate/evaluator.h"

namespace gemmtune {

/// Makes the evaluator of a device id. Called only after stdout has been redirected, because making an evaluator may
/// load libraries that print.
using EvaluatorFactory = std::function<std::unique_ptr<Evaluator>(const std::string& device)>;

/// Serves requests from stdin until "bye" or end of file. First redirects file descriptor 1, so that output of
/// libraries and kernels goes to stderr and only the protocol reaches the real stdout. Returns the exit code of the
/// process. Also returns after the evaluation that reports a lost device, because only another process can continue
/// then.
int serve_on_stdio(const EvaluatorFactory& make_evaluator, const std::string& device);

/// The same on the given streams, for tests.
int serve(std::istream& requests, std::ostream& replies, Evaluator& evaluator);

}  // namespace gemmtune
