# Rust is often installed in a person's home and is not in PATH.
export PATH := $(HOME)/.cargo/bin:$(PATH)
# POSTGRES=skip leaves out the tests on PostgreSQL.
export POSTGRES
# Tests that are left out are listed in this file, and those that were shorter in one beside it; the end of `make test` prints both lists, also after a
# failure. With CI=true none may be left out.
export LEFT_OUT := $(CURDIR)/target/left-out

# More arguments for `majordomo serve`, for instance ARGS="--bind 127.0.0.1:8080".
ARGS ?=
# How long each fuzz target runs.
SECONDS ?= 60
RUNS ?=
# How often soak-kill kills the program.
N ?= 500

.DEFAULT_GOAL := help
.PHONY: describe weigh bench fuzz help run test all-tests test-web xss check fmt-check clippy tidy deny fmt bench-quick soak-kill soak-nodes soak-rotate soak-compact soak-takeover soak-time soak-upgrade faults fuzz-api cage attack agentdojo bench-web

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and start the server (ARGS="--bind 127.0.0.1:8080" adds arguments of `majordomo serve`)
	@scripts/setup.sh
	@scripts/page.sh
	cargo run --package majordomo -- serve $(ARGS)

test: ## Install what the tests need, check everything, run all tests
	@scripts/left-out.sh during $(MAKE) --no-print-directory all-tests

# Without the list of what was left out.
all-tests:
	@scripts/setup-test.sh
	@$(MAKE) --no-print-directory fmt-check clippy tidy
	@scripts/page.sh --must
	cargo build --workspace --all-targets
	cargo test --workspace
	@$(MAKE) --no-print-directory test-web

test-web: ## Test the web page: its parts, its size, and all of it in a browser
	@scripts/page.sh --must
	npm --prefix web run --silent test
	npm --prefix web run --silent sizes
	cargo build --package majordomo
	cargo build --package store --example fill_session
	npm --prefix web run --silent browser

xss: ## Show the page more than a thousand hostile replies and check that none of them runs a script
	@scripts/page.sh --must
	cargo build --package majordomo
	XSS=1200 npm --prefix web run --silent browser -- xss

check: fmt-check clippy tidy deny ## Run the quick checks: format, lints, structure, licences, known weaknesses

fmt-check:
	cargo fmt --all -- --check

clippy:
	cargo clippy --workspace --all-targets -- -D warnings

tidy:
	cargo xtask tidy

deny:
	@scripts/deny.sh

fmt: ## Format the code
	cargo fmt --all

describe: ## Write crates/server/openapi.json again after a change of the API
	DESCRIBE=1 cargo test --package server --lib the_file_that_is_served

weigh: ## Build the release program, list what takes up its size, and fail if it is too large (MEGABYTES=22)
	@scripts/page.sh --must
	cargo rustc --package majordomo --bin majordomo --release -- -C strip=none
	cargo xtask weigh target/release/majordomo $(or $(MEGABYTES),22)

bench: ## Measure everything that docs/performance.md says, and fetch other programs to compare with (half an hour or more)
	@scripts/setup-bench.sh
	@scripts/page.sh --must
	cargo build --release --package majordomo --package benches --features benches/peers
	target/release/bench all --postgres own

bench-quick: ## Measure the same in two minutes, with fewer and shorter rounds and without other programs
	@scripts/page.sh --must
	cargo build --release --package majordomo --package benches
	target/release/bench quick

bench-web: ## Measure how smoothly the web page runs and how fast it opens a long conversation (MESSAGES=5000)
	@scripts/page.sh --must
	cargo build --package majordomo
	MESSAGES=$(or $(MESSAGES),5000) npm --prefix web run --silent bench

fuzz: ## Give random text to the parsers (SECONDS=60 each, or RUNS=… each)
	SECONDS_EACH=$(SECONDS) RUNS=$(RUNS) scripts/fuzz.sh

soak-kill: ## Kill the program N times while it works, and check that nothing was lost (N=500)
	KILLS=$(N) cargo test --workspace --test system -- kill_loop --nocapture

soak-nodes: ## Kill, stop and restart nodes of three N times while people talk to all of them (N=100)
	NODE_FAULTS=$(if $(filter file,$(origin N)),100,$(N)) cargo test --workspace --test nodes -- soak --nocapture

soak-rotate: ## Kill the program N times while it changes the master key, and check that nothing was lost (N=20)
	ROTATIONS=$(if $(filter file,$(origin N)),20,$(N)) cargo test --workspace --test system -- rotation --nocapture

soak-compact: ## Have a conversation of N messages with a small model window, and kill the program while it makes summaries (N=3000)
	MESSAGES=$(if $(filter file,$(origin N)),3000,$(N)) cargo test --workspace --test system -- compaction --nocapture

soak-takeover: ## Kill a node of three that has N turns running, and start one that has left N (N=1000)
	STORM=$(if $(filter file,$(origin N)),1000,$(N)) cargo test --workspace --test nodes -- storm --nocapture --test-threads 1

soak-time: ## Let N due times come while the servers are killed and their clocks jump by a day (N=10000)
	DUE_TIMES=$(if $(filter file,$(origin N)),10000,$(N)) cargo test --workspace --test nodes -- due_times --nocapture --test-threads 1

soak-upgrade: ## Replace the nodes of an earlier version one by one while people talk to them (PREVIOUS=HEAD~1)
	scripts/previous.sh $(or $(PREVIOUS),HEAD~1)
	PREVIOUS_PROGRAM=$(CURDIR)/target/previous/majordomo-under-test \
		cargo test --workspace --test nodes -- upgrade --nocapture

faults: ## Fill the disk and stop the database N times while people talk (N=10; a small disk needs root)
	FAULTS=$(if $(filter file,$(origin N)),10,$(N)) cargo test --workspace --test system -- faults --nocapture

cage: ## Try all known ways to break out of the sandbox; as root, also show that each one works outside of it
	CAGE=all cargo test --workspace --test escapes -- --nocapture

attack: ## Let the model attack: every attack with every kind of person, and once more without the protection (SEED=…)
	@scripts/agentdojo.sh
	ATTACK=all WAYS=$(or $(WAYS),one) AGENTDOJO=$(CURDIR)/target/agentdojo.json SEED=$(or $(SEED),$(shell date +%s)) \
		cargo test --workspace --test attack -- --nocapture

agentdojo: ## Let a model obey the 629 injected texts of AgentDojo (fetched from PyPI; EVERY=10 takes every tenth)
	@scripts/agentdojo.sh
	AGENTDOJO=$(CURDIR)/target/agentdojo.json SEED=$(or $(SEED),$(shell date +%s)) \
		cargo test --workspace --test attack -- --nocapture dojo::

fuzz-api: ## Send valid and invalid requests to every route of the API (CALLS=5000 SEED=…)
	CALLS=$(or $(CALLS),5000) SEED=$(or $(SEED),$(shell date +%s)) \
		cargo test --workspace --test fuzz_api -- --nocapture --test-threads 1
