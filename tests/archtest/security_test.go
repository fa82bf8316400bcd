package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// connecting are the packages that may use the network, and networks the
// packages that they use for it besides pgx.
var (
	connecting = []string{
		"llm",                                                       // models
		"store/pgstore", "replica/pgteam", "cmd/pith/internal/team", // a team's database
		"cmd/pith/internal/webui", "cmd/pith/internal/cli/servers", // pith serve
		"internal/page",    // only asks net/http what kind of picture some bytes are
		"examples/service", // an example, no part of the library or the command
		"tests",
	}
	networks = []string{"net", "net/http", "net/rpc", "net/smtp", "crypto/tls"}
)

// No other package can connect to anything: SECURITY.md says that nothing leaves.
func TestWhoConnects(t *testing.T) {
	seen := 0
	for file, imports := range sources(t) {
		for _, path := range imports {
			if !slices.Contains(networks, path) && !strings.HasPrefix(path, "github.com/jackc/pgx/") {
				continue
			}
			seen++
			if !below(filepath.ToSlash(filepath.Dir(file)), connecting...) {
				t.Errorf("%s imports %s; SECURITY.md says who connects", file, path)
			}
		}
	}
	if seen < 10 {
		t.Errorf("%d imports of the network seen: this test sees too little", seen)
	}
}

var shown = regexp.MustCompile("(?m)^\\| .* \\| `([^`]+)` \\| (Test.*) \\|$")

// The tests that SECURITY.md names are there.
func TestSecurityNamesTests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := shown.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 10 {
		t.Errorf("%d rows of tests found", len(rows))
	}
	for _, row := range rows {
		files, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(row[1]), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var code strings.Builder
		for _, file := range files {
			part, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(part)
		}
		for name := range strings.SplitSeq(row[2], ", ") {
			if !strings.Contains(code.String(), "func "+name+"(t *testing.T)") {
				t.Errorf("SECURITY.md names %s of %s, which is not there", name, row[1])
			}
		}
	}
}
