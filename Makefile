# The everyday commands of Berth; `make help` lists them. Each installs the packages that it needs, so
# that `make test` works from a bare checkout on Debian 12 or 13. The build settings are in
# CMakePresets.json.

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
SIMTEST_SEEDS ?= 100000
# The steps of `make verify`; empty means all of them.
STEPS ?=
# What `make package` packages for, and where you publish it, which the krew manifest names.
ARCHS ?= amd64
RELEASE_URL ?= https://example.com/berth

programs := berth berth-scheduler
sources = $(shell find src tests bench examples -name '*.h' -o -name '*.cc')

.DEFAULT_GOAL := build
.PHONY: build run install test bench package asan tsan fuzz verify format tidy check clean help \
  deps deps-test deps-dev deps-package e2e-clients programs

build: deps ## Build bin/berth and bin/berth-scheduler (the default)
	@$(MAKE) --no-print-directory programs

# A checkout that only builds the programs does not need what tests need; one that has built tests
# continues to.
programs:
	@[ -e build/release/CMakeCache.txt ] || \
	  cmake --preset release --log-level=NOTICE -DBERTH_TESTS=OFF -DBERTH_BENCH=OFF
	@cmake --preset release --log-level=NOTICE
	cmake --build build/release -j $(JOBS) --target programs
	@mkdir -p bin
	@for p in $(programs); do \
	  if [ -x build/release/src/$$p ]; then ln -sf ../build/release/src/$$p bin/; fi; \
	done
	@ln -sf berth bin/kubectl-berth
	@ln -sf berth bin/kubectl_complete-berth

run: build ## Build, then run a demo cluster
	scripts/demo.sh

install: build ## Install the programs, libberth and its headers below PREFIX (/usr/local)
	cmake --build build/release -j $(JOBS) --target libraries
	cmake --install build/release --prefix $(PREFIX)

test: deps-test e2e-clients ## Build and run every test
	@cmake --preset release --log-level=NOTICE -DBERTH_TESTS=ON
	@$(MAKE) --no-print-directory programs
	cmake --build build/release -j $(JOBS)
	ctest --test-dir build/release -j $(JOBS) --output-on-failure

bench: deps-test ## Build and run the benchmarks
	@cmake --preset release --log-level=NOTICE -DBERTH_BENCH=ON
	@$(MAKE) --no-print-directory programs
	cmake --build build/release -j $(JOBS) --target benchmarks
	@for b in $$(find build/release/bench -name '*_bench' -type f); do echo "== $$b"; $$b || exit 1; done
	scripts/bench.sh bin/berth

package: deps deps-package ## Build packages, tarballs and images for ARCHS (amd64) in dist/
	@scripts/package/build.py --architectures "$(ARCHS)" --jobs $(JOBS) --url "$(RELEASE_URL)"

asan: deps-dev ## Run every test under the address and undefined-behaviour sanitizers
tsan: deps-dev ## Run every test under the thread sanitizer
asan tsan:
	@cmake --preset $@ --log-level=NOTICE
	cmake --build build/$@ -j $(JOBS)
	ctest --test-dir build/$@ -j $(JOBS) --output-on-failure

fuzz: deps-dev ## Run each fuzz target for FUZZ_SECONDS (60)
	@cmake --preset fuzz --log-level=NOTICE
	cmake --build build/fuzz -j $(JOBS) --target fuzzers
	scripts/fuzz.sh $(FUZZ_SECONDS) $(JOBS)

verify: deps-dev deps-package e2e-clients ## Run everything slow: see scripts/verify.py (or STEPS of it)
	@scripts/verify.py --jobs $(JOBS) --fuzz-seconds $(FUZZ_SECONDS) --seeds $(SIMTEST_SEEDS) $(STEPS)

format: deps-dev ## Format the C++ sources in place
	clang-format-19 -i $(sources)

tidy: deps-dev ## Run clang-tidy over the sources without the tests, which would take too long
	@cmake --preset tidy --log-level=NOTICE
	scripts/tidy.py --jobs $(JOBS)

check: deps-test ## Check style and dependencies only; part of `make test`
	python3 scripts/check_style.py

clean: ## Remove everything that was built: build/, bin/, dist/ and the dashboard
	rm -rf build bin dist web/dist web/build

help: ## List these commands
	@sed -n 's/^\([a-z ]*\):[^#]*## /\1:/p' Makefile | while IFS=: read -r name what; do \
	  printf '  make %-8s %s\n' "$$name" "$$what"; done

# npm packages of the JavaScript client test, which is skipped where they cannot be installed.
e2e-clients:
	@if command -v npm >/dev/null && [ ! -d tests/e2e/node_modules ]; then \
	  npm ci --prefix tests/e2e --no-audit --no-fund --silent || rm -rf tests/e2e/node_modules; \
	fi

deps:
	@scripts/install-deps.sh

deps-test:
	@scripts/install-deps.sh --test

deps-dev:
	@scripts/install-deps.sh --dev

deps-package:
	@scripts/install-deps.sh --package
