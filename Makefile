# "make" lists the targets. Paths are relative throughout, so that a folder with
# spaces or other letters in its name is fine.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# The second JSON implementation behind encoding/json; without it everything works
# the same, but reading the log costs a third more (docs/adr/0010).
export GOEXPERIMENT := jsonv2

# Where "make run" keeps its data, and what else it passes to serve.
DATA ?= ./data
ARGS ?=

# The rounds that test-faults plays: SEEDS of them from the seed FIRST on, LANES
# at once.
SEEDS ?= 20
FIRST ?= 1
LANES ?= 2

# The rows that bench measures; all of them if it is empty.
BENCH ?=

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# The wheel: the whole product over its API, against the built binary.
WHEEL_CMD ?= go test -count=1 -run '^TestWheel' -v ./cmd/sozai

GOLANGCI_VERSION := v2.15.0
LINTER := bin/golangci-lint-$(GOLANGCI_VERSION)

# What the built front end depends on; tests beside the sources do not count.
PAGES := $(shell find frontend/src frontend/index.html frontend/*.json frontend/*.ts \
	-type f -not -name '*.test.*' -not -path '*/test/*' 2>/dev/null)
MODULES := frontend/node_modules/.package-lock.json
DIST := frontend/dist/index.html

.PHONY: help run build test test-faults wheel e2e bench claims screenshots lint fmt frontend setup clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z0-9-]+):.*## (.*)/  \1\t\2/' | expand -t 14

run: ## install what is missing, build, and serve on ./data
	@.ci/setup run
	@$(MAKE) build
	@exec ./bin/sozai serve --data "$(DATA)" $(ARGS)

build: $(DIST) ## build the front end and bin/sozai
	@go build -buildvcs=false -ldflags "-X main.version=$(VERSION)" -o bin/sozai ./cmd/sozai

test: ## every test there is
	@.ci/setup test
	@$(MAKE) frontend lint
	@go test -json -race -shuffle=on -skip '^TestWheel' -timeout 20m ./... | node .ci/report.mjs
	@$(MAKE) build
	@log=$$(mktemp); trap 'rm -f "$$log"' EXIT; $(MAKE) wheel >"$$log" 2>&1 & wheel=$$!; \
	e2e=0; $(MAKE) e2e || e2e=$$?; \
	turned=0; wait $$wheel || turned=$$?; cat "$$log"; exit $$((e2e || turned))

test-faults: $(DIST) ## people at work while everything fails (SEEDS=500 FIRST=1)
	@.ci/setup test
	@go build -buildvcs=false -o bin/faults ./cmd/faults
	@exec ./bin/faults -seeds $(SEEDS) -first $(FIRST) -lanes $(LANES) $(ARGS)

wheel: build ## play the whole product once over the API
	@$(WHEEL_CMD) 2>&1 | awk '/^(ok    |FAIL  |      |[0-9]+ passed|panic|--- FAIL)|_test[.]go:/ { print; fflush() }'

e2e: build ## two people in two browsers against the built binary
	@cd frontend && npx vite-node e2e/run.ts

bench: ## what Sozai reaches beside its limits (BENCH=regexp, ARGS=flags); writes bench.json
	@.ci/setup run
	@go build -buildvcs=false -o bin/bench ./cmd/bench
	@exec ./bin/bench -run "$(BENCH)" $(ARGS)

claims: ## learn the weights of the claim gate from agents/butler/testdata
	@go test -count=1 -run '^TestTrain$$' -v ./agents/butler -args -train | grep -v '^==='

screenshots: build ## write every page (zh light, en dark, phone) to docs/screens
	@cd frontend && npx vite-node e2e/screenshots.ts

lint: $(LINTER) $(DIST) ## gofmt, go vet and the linters of .golangci.yml
	@unformatted=$$(find . -name '*.go' -not -path './frontend/node_modules/*' -print0 | xargs -0 gofmt -l); \
	if [ -n "$$unformatted" ]; then printf 'not formatted (make fmt):\n%s\n' "$$unformatted" >&2; exit 1; fi
	@go vet ./...
	@$(LINTER) run ./...

fmt: ## format the Go code
	@find . -name '*.go' -not -path './frontend/node_modules/*' -print0 | xargs -0 gofmt -w

frontend: $(DIST) ## lint, type check, test and build the front end
	@cd frontend && npm run --silent lint
	@cd frontend && npm run --silent typecheck
	@cd frontend && npm run --silent test

setup: ## install what run and test need
	@.ci/setup test

clean: ## remove what was built; data stays
	@rm -rf bin frontend/node_modules frontend/dist/assets $(DIST)

$(MODULES): frontend/package.json frontend/package-lock.json
	@cd frontend && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

$(DIST): $(MODULES) $(PAGES)
	@cd frontend && npm run --silent build
	@touch $@

$(LINTER):
	@mkdir -p bin
	@GOBIN="$(CURDIR)/bin" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv bin/golangci-lint $@
