# The two commands of the README, and what developers use. Everything else is CMake's presets.
jobs ?= $(shell nproc)
args ?= -i examples/shapes/quick.csv -o build/quick_tuned.csv --all --fresh

.PHONY: tune test test-python wheel build lint fuzz fuzz-short attack clean

## Install what is missing, build, and tune a few real shapes on this machine's CPU. All are measured anew; a table of
## an older version may lack columns that today's shapes need.
tune: build
	$(if $(filter file,$(origin args)),rm -f build/quick_tuned.csv)
	build/release/bin/gemmtune tune $(args)

build: dependencies
	cmake --preset release
	cmake --build --preset release -j $(jobs)

## Install what is missing, build with sanitizers, and run all tests. One more of them at a time than there are
## cores: the longest ones wait for daemons most of the time.
test: test-dependencies
	cmake --preset ci
	cmake --build --preset ci -j $(jobs)
	ctest --preset ci -j $$(($(jobs) + 1))

## Install the Python package with torch from PyPI into build/python-tests, and run its tests there.
test-python: dependencies
	tools/test-python

## A wheel for other machines, in dist/.
wheel: dependencies
	tools/wheel

.PHONY: dependencies test-dependencies developer-dependencies
dependencies:
	tools/install-dependencies
test-dependencies:
	tools/install-dependencies --tests
developer-dependencies:
	tools/install-dependencies --developer

## Everything under clang with its warnings, formatting, clang-tidy.
lint: developer-dependencies
	tools/lint

## Fuzz the readers for `seconds` each (default one minute).
seconds ?= 60
fuzz: developer-dependencies
	tools/fuzz $(seconds)

## The long attacks: kills, forks, rewrites under load, damaged files. `times` multiplies their counts.
times ?= 1
attack: dependencies
	cmake --preset quick
	cmake --build --preset quick -j $(jobs)
	tools/attack build/quick/bin $(times)

clean:
	rm -rf build
