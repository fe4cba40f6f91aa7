# The recipes of askd. Each is one or two plain commands, so that they can be typed where just is not installed.

set shell := ["bash", "-euo", "pipefail", "-c"]

# list the recipes
default:
    @just --list

# everything that CI looks at
check: fmt-check lint vuln generate-check test

# format every Go file in place
fmt:
    gofumpt -w .

# fail when a Go file is not formatted
fmt-check:
    test -z "$(gofumpt -l . | tee /dev/stderr)"

# go vet and golangci-lint
lint:
    go vet ./...
    golangci-lint run ./...

# known vulnerabilities in what is called: just vuln latest, for those of today
vuln *version:
    .ci/vulncheck {{version}}

# write what is generated from Go (tools.json and the like)
generate:
    go generate ./...

# fail when generation changes a file
generate-check: generate
    git diff --exit-code

# all tests, under the race detector and in random order
test:
    go test -race -shuffle=on -timeout 45m ./...

# all tests without the race detector, in a third of the time
quick:
    go test -timeout 30m ./...

# each fuzz target for a while: just fuzz 2m
fuzz time="30s":
    for p in $(go list ./...); do \
        for f in $(go test -list '^Fuzz' "$p" | grep '^Fuzz' || true); do \
            go test -run '^$' -fuzz "^$f\$" -fuzztime {{time}} "$p"; \
        done; \
    done

# kill, tear and starve real processes and files, at length: just crash 1000
crash rounds="300":
    ASKD_CRASH_ROUNDS={{rounds}} go test -count=1 -timeout 2h -run 'Crash|Kill|Dies|Histories|Random|Promise|Torn|Damage|Rescue|Fault|Full' \
        ./journal ./broker ./daemon ./tests

# the built programs: real pi, terminals, sockets
e2e:
    go test -count=1 ./tests/...

# 200 sessions, 2,000 forms, 64 clients without pause beside a pane: just load 10m
load time="10m":
    go test -count=1 -v -timeout 60m -run '^TestLoad$' ./tests -args -load {{time}}

# the table of costs against their floors; with a million records and kept data files: just bench -records 1000000 -data /var/tmp/askd-bench
bench *args:
    go run ./tests/bench {{args}}

# build both programs into ./bin
build:
    CGO_ENABLED=0 go build -trimpath -ldflags="-s -w -X askd/config.Version=$(git describe --tags --always --dirty 2>/dev/null || echo 0.1.0-dev)" -o bin/ ./cmd/askd ./cmd/askctl

# static programs for linux and darwin, amd64 and arm64, in ./dist, with completions, manual pages, Debian packages and checksums
release version=`git describe --tags --always --dirty`:
    cmd/packaging/release.sh {{version}} dist

# a pane with a few made-up questions in it
demo:
    go run ./cmd/askd demo
