#!/usr/bin/env python3
"""Times one layer of a GGUF model through gemmtune and through ggml, llama.cpp's library, in turns.

    side_by_side.py GGUF_CPP GGML_CPP MODEL.gguf LAYER TOKENS… [--turns N] [--before 'chrt -f 50']

Both programs are those of this folder. Shows the median of the turns' times for each product, and the ratio of the
medians. --before stands before each program's command.
"""
import argparse
import re
import shlex
import statistics
import subprocess


def times_of(before, program, arguments):
    """{(tensor, shape): (microseconds, error)}"""
    output = subprocess.run([*before, program, *arguments], check=True, capture_output=True, text=True).stdout
    times = {}
    for line in output.splitlines():
        name, kind, tokens, shape, us, _, error, kernel = line.split("\t")
        times[(name, kind, tokens, shape)] = (float(us.split()[0]), float(error.split()[1]), kernel)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours")
    parser.add_argument("ggml")
    parser.add_argument("model")
    parser.add_argument("layer")
    parser.add_argument("tokens", nargs="+")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--before", default="", type=shlex.split)
    chosen = parser.parse_args()
    turns = [[times_of(chosen.before, program, [chosen.model, chosen.layer, *chosen.tokens])
              for program in (chosen.ours, chosen.ggml)] for _ in range(chosen.turns)]
    print("tensor, type, tokens, M x N x K x experts                       gemmtune        ggml    ratio  errors             kernel")
    for key, (_, error, kernel) in turns[0][0].items():
        ours, ggml = (statistics.median(turn[i][key][0] for turn in turns) for i in (0, 1))
        name = re.sub(r"^blk\.\d+\.|\.weight$", "", key[0])
        print(f"{', '.join((name, *key[1:])):60} {ours:8.1f} us {ggml:8.1f} us {ggml / ours:7.2f}x  "
              f"{error:.1e} {turns[0][1][key][1]:.1e}  {kernel}")


if __name__ == "__main__":
    main()
