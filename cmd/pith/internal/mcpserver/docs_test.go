package mcpserver_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/mcpserver"
)

var update = flag.Bool("update", false, "rewrite the parameters in docs/reference/mcp.md")

// toolRow is the row of a tool: its name and its parameters.
var toolRow = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| `([^`]*)` \\|")

// The page for clients names every tool with its parameters.
func TestDocsAreComplete(t *testing.T) {
	file := filepath.Join("..", "..", "..", "..", "docs", "reference", "mcp.md")
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	tools, want := map[string]string{}, mcpserver.Signatures()
	generated := toolRow.ReplaceAllStringFunc(string(page), func(row string) string {
		m := toolRow.FindStringSubmatch(row)
		tools[m[1]] = m[2]
		return fmt.Sprintf("| `%s` | `%s` |", m[1], want[m[1]])
	})
	if *update {
		if err := os.WriteFile(file, []byte(generated), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !maps.Equal(tools, want) {
		t.Errorf("docs/reference/mcp.md describes the tools\n%q\nwant\n%q", tools, want)
	}
}
