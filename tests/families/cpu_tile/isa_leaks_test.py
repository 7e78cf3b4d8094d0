#!/usr/bin/env python3
"""No file compiled for one instruction set shares a function with others: usage isa_leaks_test.py NM ARCHIVE.

The linker keeps one copy of an inline function or a template. If that copy came from a file compiled for AVX-512, the
program would crash on CPUs without it, far from any kernel.
"""
import re
import subprocess
import sys

ISA_MEMBER = re.compile(r"^[\w]*(avx|amx|neon)\w*\.cpp\.o:$")
SHARED = re.compile(r"^[0-9a-f]+ [WVu] (gemmtune::|std::|void |.*gemmtune::).*")


def leaks(listing):
    member = ""
    members = 0
    found = []
    for line in listing.splitlines():
        if line.endswith(".o:"):
            member = line if ISA_MEMBER.match(line) else ""
            members += bool(member)
        elif member and SHARED.match(line):
            found.append(f"{member} {line}")
    return members, found


def main():
    nm, archive = sys.argv[1:]
    listing = subprocess.run([nm, "-C", "--defined-only", archive], check=True, text=True, capture_output=True).stdout
    members, found = leaks(listing)
    print("\n".join(found) or f"{members} files share nothing")
    return 1 if found or members == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
