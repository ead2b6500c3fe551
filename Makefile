# The two commands of the README are run and test; both set up what is missing.
GO ?= go
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: run test lint bench soak fuzz peers mcp-peers playwright stores chrome

run: chrome ## carry out a real task in real Chrome
	$(GO) run ./examples/quickstart

test: chrome ## everything CI runs
	$(GO) vet ./...
	$(GO) test -race -count=1 -p 2 -timeout 18m ./browser ./tools ./agent ./... # the longest first

lint: ## formatting, vet, staticcheck, tidy, and the other systems' builds
	@out="$$(gofmt -l $$(git ls-files '*.go'))"; test -z "$$out" || { echo "gofmt: $$out"; exit 1; }
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) mod tidy -diff
	GOOS=windows $(GO) build ./...
	GOOS=darwin $(GO) build ./...

bench: chrome ## benchmarks, with allocations
	$(GO) test -run '^$$' -bench . -benchmem -p 1 -timeout 60m ./...

soak: chrome ## long runs: many sessions, many agents, many steps
	$(GO) test -tags soak -run 'Soak|TwentyRuns|HundredAgents|ThousandSteps' -count=1 -p 1 -timeout 60m -v ./...

fuzz: ## every fuzz target for 30 s
	@set -e; for pkg in $$($(GO) list ./...); do \
	  dir=$$($(GO) list -f '{{.Dir}}' $$pkg); \
	  for f in $$(grep -ho '^func Fuzz[A-Za-z0-9_]*' $$dir/*_test.go 2>/dev/null | sed 's/func //'); do \
	    echo "$$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime 30s $$pkg; \
	  done; \
	done

peers: chrome ## page states and clicks beside other tools, from npm
	cd bench && npm install --no-fund --no-audit && $(GO) run .

mcp-peers: chrome ## MCP client and server, and the storage file, against others' from npm
	cd tools/mcptools/testdata/npm && npm install --no-fund --no-audit
	$(GO) test -tags npm -run NPM -count=1 -p 1 -timeout 20m -v ./tools/mcptools ./tools/mcpserver
	cd bench && npm install --no-fund --no-audit
	$(GO) test -tags npm -run Playwrights -count=1 -v ./browser

playwright: chrome ## exported Playwright tests, type-checked and run by Playwright's own runner from npm
	cd agent/export/testdata/npm && npm install --no-fund --no-audit
	$(GO) test -tags npm -run NPM -count=1 -v ./agent/export

stores: ## the memory stores that are modules of their own; real servers by WEBHAND_TEST_PGVECTOR_DSN and WEBHAND_TEST_QDRANT_URL
	cd memory/pgvector && $(GO) vet ./... && $(GO) test -race -count=1 ./...
	cd memory/qdrant && $(GO) vet ./... && $(GO) test -race -count=1 ./...

chrome:
	@sh .ci/chrome
