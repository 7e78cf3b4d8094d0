#include "gemmtune/cli/app.h"

int main(int argc, char** argv) { return gemmtune::run_app({argv, argv + argc}); }
