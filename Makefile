.PHONY: build test bench fuzz lint

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
