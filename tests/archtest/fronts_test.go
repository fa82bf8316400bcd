package archtest_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fronts are the front ends. They use the services of the library through package ops.
var fronts = []string{"cmd/pith/internal/cli", "cmd/pith/internal/tui", "cmd/pith/internal/webui", "cmd/pith/internal/rpcserver", "cmd/pith/internal/mcpserver"}

var service = regexp.MustCompile(`^` + regexp.QuoteMeta(module) + `/((?:catalog|redact|export|doctor|replica|internal/(?:housekeeping|blame|edits|recall|cache|sources))(?:/.*)?)$`)

// direct are the services that a front end still uses directly, most of them for the types
// that use cases return. The list only shrinks.
var direct = map[string]string{
	"cmd/pith/internal/cli/agents":     "catalog internal/sources internal/sources/all internal/sources/importer internal/sources/team",
	"cmd/pith/internal/cli/edit":       "catalog internal/sources",
	"cmd/pith/internal/cli/entrytree":  "catalog",
	"cmd/pith/internal/cli/files":      "catalog internal/blame",
	"cmd/pith/internal/cli/firststeps": "catalog",
	"cmd/pith/internal/cli/fullscreen": "catalog redact",
	"cmd/pith/internal/cli/housekeep":  "catalog catalog/project doctor internal/housekeeping/marks internal/housekeeping/move internal/housekeeping/retention internal/housekeeping/trash internal/sources",
	"cmd/pith/internal/cli/list":       "catalog catalog/project catalog/search internal/housekeeping/marks internal/sources/all",
	"cmd/pith/internal/cli/lookup":     "catalog catalog/query catalog/search doctor internal/cache internal/housekeeping/marks internal/housekeeping/trash internal/sources/all redact",
	"cmd/pith/internal/cli/repair":     "catalog catalog/search doctor internal/housekeeping/trash internal/sources internal/sources/all internal/sources/importer",
	"cmd/pith/internal/cli/share":      "export redact",
	"cmd/pith/internal/cli/show":       "catalog doctor internal/sources/all",
	"cmd/pith/internal/mcpserver":      "catalog catalog/query catalog/search internal/blame internal/edits internal/housekeeping/marks internal/recall internal/sources/all redact",
	"cmd/pith/internal/rpcserver":      "catalog internal/housekeeping/marks internal/housekeeping/trash",
	"cmd/pith/internal/tui":            "catalog catalog/search export internal/housekeeping/marks internal/housekeeping/trash internal/sources/importer redact",
	"cmd/pith/internal/tui/picker":     "catalog catalog/query catalog/search internal/housekeeping/marks",
	"cmd/pith/internal/webui":          "catalog catalog/cost catalog/query catalog/search internal/housekeeping/marks internal/sources/all internal/sources/importer",
}

// TestFrontEnds checks that front ends reach services through the use cases.
func TestFrontEnds(t *testing.T) {
	found := map[string]map[string]bool{}
	for file, imports := range sources(t) {
		pkg := filepath.ToSlash(filepath.Dir(file))
		for _, path := range imports {
			if m := service.FindStringSubmatch(path); m != nil && below(pkg, fronts...) {
				if found[pkg] == nil {
					found[pkg] = map[string]bool{}
				}
				found[pkg][m[1]] = true
			}
		}
	}
	for pkg, services := range found {
		for _, name := range slices.Sorted(maps.Keys(services)) {
			if !slices.Contains(strings.Fields(direct[pkg]), name) {
				t.Errorf("%s uses %s; use a function of package ops, or add one", pkg, name)
			}
		}
	}
}
