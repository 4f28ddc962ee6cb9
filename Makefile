# Rust is often installed for one person and not in everybody's PATH.
export PATH := $(HOME)/.cargo/bin:$(PATH)
# POSTGRES=skip leaves out the tests on PostgreSQL.
export POSTGRES
# What the tests leave out is noted here, and told at the end; with CI=true nothing may be.
export LEFT_OUT := $(CURDIR)/target/left-out

# Further arguments of `majordomo serve`, for instance ARGS="--bind 127.0.0.1:8080".
ARGS ?=
# How long each fuzz target runs.
SECONDS ?= 60
RUNS ?=
# How often soak-kill kills the program.
N ?= 500

.DEFAULT_GOAL := help
.PHONY: describe weigh bench fuzz help run test test-web xss check fmt-check clippy tidy deny fmt bench-quick soak-kill soak-nodes soak-rotate soak-compact faults fuzz-api cage attack agentdojo bench-web

help: ## Show what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## Build and start the program (ARGS="…" is passed on)
	@scripts/setup.sh
	@scripts/page.sh
	cargo run --package majordomo -- serve $(ARGS)

test: ## Install what the tests need, check everything, run all tests
	@scripts/left-out.sh begin
	@scripts/setup-test.sh
	@$(MAKE) --no-print-directory fmt-check clippy tidy
	@scripts/page.sh --must
	cargo build --workspace --all-targets
	cargo test --workspace
	@$(MAKE) --no-print-directory test-web
	@scripts/left-out.sh end

test-web: ## Try the web page: its parts, its size, and the whole of it in a browser
	@scripts/page.sh --must
	npm --prefix web run --silent test
	npm --prefix web run --silent sizes
	cargo build --package majordomo
	cargo build --package store --example fill_session
	npm --prefix web run --silent browser

xss: ## Show the page a thousand replies that would break into a lesser one
	@scripts/page.sh --must
	cargo build --package majordomo
	XSS=1200 npm --prefix web run --silent browser -- xss

check: fmt-check clippy tidy deny ## The quick checks: format, lints, tidy, licences, known weaknesses

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

describe: ## Write crates/server/openapi.json anew after a change of the API
	DESCRIBE=1 cargo test --package server --lib the_file_that_is_served

weigh: ## Build the release program, say where its bytes are, and fail if it has too many (MEGABYTES=22)
	@scripts/page.sh --must
	cargo rustc --package majordomo --bin majordomo --release -- -C strip=none
	cargo xtask weigh target/release/majordomo $(or $(MEGABYTES),22)

bench: ## Everything that the documents promise about speed, beside what others have (fetches them); half an hour and more
	@scripts/setup-bench.sh
	@scripts/page.sh --must
	cargo build --release --package majordomo --package benches --features benches/peers
	target/release/bench all --postgres own

bench-quick: ## The same in two minutes, with fewer and shorter rounds
	@scripts/page.sh --must
	cargo build --release --package majordomo --package benches
	target/release/bench quick

bench-web: ## Frames, long tasks and opening times of the web page (MESSAGES=5000)
	@scripts/page.sh --must
	cargo build --package majordomo
	MESSAGES=$(or $(MESSAGES),5000) npm --prefix web run --silent bench

fuzz: ## Throw random text at the parsers (SECONDS=60 each, or RUNS=… each)
	SECONDS_EACH=$(SECONDS) RUNS=$(RUNS) scripts/fuzz.sh

soak-kill: ## Kill the program N times while it works, and check that nothing was lost (N=500)
	KILLS=$(N) cargo test --workspace --test system -- kill_loop --nocapture

soak-nodes: ## Kill, stop and restart nodes of three N times while people talk to all of them (N=100)
	NODE_FAULTS=$(if $(filter file,$(origin N)),100,$(N)) cargo test --workspace --test nodes -- soak --nocapture

soak-rotate: ## Change the master key and die in the middle of it N times (N=20)
	ROTATIONS=$(if $(filter file,$(origin N)),20,$(N)) cargo test --workspace --test system -- rotation --nocapture

soak-compact: ## Talk for N messages with a small window, and kill the program while summaries are made (N=3000)
	MESSAGES=$(if $(filter file,$(origin N)),3000,$(N)) cargo test --workspace --test system -- compaction --nocapture

faults: ## Fill the disk and stop the database N times while people talk (N=10; a small disk needs root)
	FAULTS=$(if $(filter file,$(origin N)),10,$(N)) cargo test --workspace --test system -- faults --nocapture

cage: ## Try to break out of the cage that programs run in, in every way that is known (as root, with all controls)
	CAGE=all cargo test --workspace --test escapes -- --nocapture

attack: ## Let the model be the attacker: every attack beside every kind of person, with its control (SEED=…)
	@scripts/agentdojo.sh
	ATTACK=all WAYS=$(or $(WAYS),one) AGENTDOJO=$(CURDIR)/target/agentdojo.json SEED=$(or $(SEED),$(shell date +%s)) \
		cargo test --workspace --test attack -- --nocapture

agentdojo: ## Have a model obey the 629 injections of AgentDojo (fetched from PyPI; EVERY=10 takes every tenth)
	@scripts/agentdojo.sh
	AGENTDOJO=$(CURDIR)/target/agentdojo.json SEED=$(or $(SEED),$(shell date +%s)) \
		cargo test --workspace --test attack -- --nocapture dojo::

fuzz-api: ## Send every route what its description asks for, and what nobody should send (CALLS=5000 SEED=…)
	CALLS=$(or $(CALLS),5000) SEED=$(or $(SEED),$(shell date +%s)) \
		cargo test --workspace --test fuzz_api -- --nocapture --test-threads 1
