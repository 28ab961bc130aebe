# A thin front for CMake: every target does its own set-up, on a machine with only git, make and a shell.
# The presets are in CMakePresets.json; what is built goes to build/<preset>.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 10
PREFIX ?= /usr/local
export JOBS

.PHONY: help demo test check-all reproduce mutate fuzz bench docs format lint coverage install clean build python
.DEFAULT_GOAL := help

help: ## this list
	@echo "Cairn: nonsmooth contact dynamics. Targets:"
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo "Variables: JOBS=$(JOBS) FUZZ_SECONDS=$(FUZZ_SECONDS) PREFIX=$(PREFIX); CAIRN_CORPUS=folder of problem files"

demo: build ## set up, build, and run the demonstration (its files go to demo/)
	@build/release/cairn demo

test: ## set up, build, and run the tests: release, then under ASan and UBSan
	@tools/setup.sh test
	@tools/test.sh release dev

check-all: ## test with the long tests, then also clang, ThreadSanitizer, short experiments, other processors, lint, fuzzing
	@tools/setup.sh test clang fuzz docs neon avx512
	@tools/test.sh --long release dev clang tsan
	@tools/reproduce.sh --quick
	@tools/check_neon.sh
	@tools/check_avx512.sh
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory fuzz

reproduce: build ## run all experiments in full, some minutes to an hour; put their figures into docs/design/experiments.md
	@tools/reproduce.sh

mutate: ## put small mistakes into the source one by one; the tests must find 95 % of them (about half an hour)
	@tools/setup.sh test
	@tools/mutate.sh

fuzz: ## run every fuzz target for FUZZ_SECONDS
	@tools/setup.sh fuzz
	@tools/fuzz.sh $(FUZZ_SECONDS)

bench: ## the project's benchmarks, as ratios; beside Siconos where Debian has it
	@tools/setup.sh bench
	@tools/build.sh release
	@build/release/cairn bench

docs: build ## regenerate what documents take from the program and from measurements; all as HTML in build/docs/html
	@tools/setup.sh docs test
	@tools/build.sh release cairn test_schema
	@tools/docs.sh

format: ## apply .clang-format to every C file
	@tools/setup.sh clang
	@tools/lint_format.sh --fix

lint: ## rooms, names, words, format, links, figures of the docs, and clang-tidy
	@tools/setup.sh clang
	@tools/lint_rooms.sh && tools/lint_names.sh && tools/lint_words.sh && tools/lint_format.sh && tools/lint_links.sh && tools/lint_prose.sh && tools/lint_figures.sh
	@tools/lint_tidy.sh

python: ## the Python package, build/release/python/cairn: PYTHONPATH=build/release/python /usr/bin/python3
	@tools/setup.sh build python
	@tools/build.sh release python cairn
	@echo "PYTHONPATH=build/release/python /usr/bin/python3 -c 'import cairn'"

coverage: ## lines that the tests reach, as build/coverage/html/index.html
	@tools/setup.sh coverage
	@tools/test.sh coverage
	@tools/coverage.sh

build: ## set up and build the release
	@tools/setup.sh build
	@tools/build.sh release cairn cairn_shared cairn_archive cairn_docs

install: build ## install the release under PREFIX
	@cmake --install build/release --prefix $(PREFIX)
	@[ "$$(id -u)" -ne 0 ] || ldconfig # so that programs find the shared library

clean: ## remove what was built
	rm -rf build
