package archtest_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestReadmeCommands checks that the README's first two go commands start pith and run
// all tests, and that .ci/run runs the same tests. TestDocumentsQuoteTheExamples in
// ./examples holds the Go code of the README to code that is compiled.
func TestReadmeCommands(t *testing.T) {
	commands := regexp.MustCompile(`(?m)^    (go run \S+)`).FindAllStringSubmatch(readTop(t, "README.md"), -1)
	if len(commands) != 2 || commands[0][1] != "go run ./cmd/pith" || commands[1][1] != "go run ./tests" {
		t.Fatalf("README.md has the commands %q", commands)
	}
	if !strings.Contains(readTop(t, ".ci/run"), commands[1][1]) {
		t.Errorf(".ci/run does not run %q", commands[1][1])
	}
}
