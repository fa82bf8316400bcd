.PHONY: build test bench fuzz lint mutants dist dist-test dist-same

FUZZTIME ?= 30s

build:
	go build -o pith ./cmd/pith

test:
	go run ./tests

lint:
	go run ./tests -only format,vet,lint

bench:
	go run ./tests/bench $(ARGS)

# Every fuzz target in turn, for FUZZTIME each.
fuzz:
	@set -e; grep -rHo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . | sort | while IFS=: read -r file func; do \
		echo "$${file%/*} $${func#func }"; \
		go test -run='^$$' -fuzz="^$${func#func }\$$" -fuzztime=$(FUZZTIME) "$${file%/*}" </dev/null; \
	done

# Whether the tests of a package notice when its code is changed, as a table.
# Minutes to hours each; PACKAGES="internal/journal compact" chooses.
PACKAGES ?= store store/memstore internal/journal internal/transcript format compact store/filestore .
mutants:
	go run ./tests/mutants $(PACKAGES)

GORELEASER ?= go run github.com/goreleaser/goreleaser/v2@v2.15.4

# A remote for goreleaser, which names no commit in a repository that has none.
REMOTE = GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url GIT_CONFIG_VALUE_0=https://github.com/pith-sessions/pith

# Everything that a release has, in dist, without publishing it.
dist:
	$(REMOTE) $(GORELEASER) release --snapshot --clean --timeout 3h
	go run ./cmd/pith/internal/packaging npm dist dist/npm
	cd dist/npm && for p in */; do npm pack --silent ./$$p; done

# What dist has, installed and tried on this machine.
dist-test:
	go run ./tests/install dist

# The same bytes twice: programs, archives, packages, also those for npm.
SUMS = cat dist/checksums.txt; cd dist && sha256sum npm/*.tgz pith_*/pith*
dist-same: dist
	($(SUMS)) > build/first.txt
	$(MAKE) dist
	($(SUMS)) | diff build/first.txt -
