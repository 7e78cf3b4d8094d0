// Explains how each problem would be served.  dispatch_cpp GFX CU_NUM PROBLEM…  (tables: GEMMTUNE_CONFIG_…)
#include <gemmtune/dispatch.hpp>
#include <iostream>

/// Without a row a rule names a library, whose own heuristic chooses the kernel.
static std::string kernel(const gemmtune::dispatch::Choice& choice) {
  if (!std::string(choice.kernel_name).empty()) return std::string(choice.kernel_name);
  return "no row: call " + std::string(choice.libtype);
}

int main(int argc, char** argv) {
  namespace dispatch = gemmtune::dispatch;
  if (argc < 4) {
    std::cerr << "usage: dispatch_cpp GFX CU_NUM PROBLEM...\n";
    return 2;
  }
  try {
    dispatch::Options options;
    options.gfx = argv[1];
    options.cu_num = std::stoll(argv[2]);
    const dispatch::Dispatcher dispatcher(options);
    for (int i = 3; i < argc; ++i) {
      const auto problem = dispatch::parse_problem(argv[i]);
      const auto answer = dispatcher.lookup(problem);
      std::cout << argv[i] << ": " << (answer.choice ? kernel(*answer.choice) : "no row, and no rule") << '\n'
                << dispatcher.explain(problem) << '\n';
    }
  } catch (const std::exception& error) {
    std::cerr << "dispatch_cpp: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
