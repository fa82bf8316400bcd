package archtest_test

import (
	"regexp"
	"strings"
	"testing"
)

// TestPisNames checks that the Go names on the page about pi's API are exported,
// and that the methods of pi without another name are methods of JSON-RPC.
func TestPisNames(t *testing.T) {
	const page = "docs/reference/from-pis-api.md"
	text, rpc := readTop(t, page), readTop(t, "docs/reference/rpc.md")
	exported := map[string]bool{}
	for line := range strings.Lines(readTop(t, "tests/archtest/testdata/api.txt")) {
		if f := strings.Fields(line); len(f) == 3 {
			exported[strings.Replace(f[0], ".", "pith", 1)+"."+f[2]] = true
		}
	}
	names := regexp.MustCompile("`((?:pith|agent|catalog)\\.[A-Z][A-Za-z.]*)`").FindAllStringSubmatch(text, -1)
	for _, m := range names {
		if !exported[m[1]] {
			t.Errorf("%s: %s is not exported", page, m[1])
		}
	}
	manager, _, _ := strings.Cut(text, "## AgentSession")
	methods := regexp.MustCompile("(?m)^\\| `([a-zA-Z]+)` ").FindAllStringSubmatch(manager, -1)
	for _, m := range methods {
		if !strings.Contains(rpc, "| `"+m[1]+"` |") {
			t.Errorf("%s: %s is not a method of JSON-RPC", page, m[1])
		}
	}
	if len(names) < 40 || len(methods) < 30 {
		t.Errorf("%s has %d Go names and %d methods; it seems to have another form", page, len(names), len(methods))
	}
}
