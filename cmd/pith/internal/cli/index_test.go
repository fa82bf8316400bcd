package cli_test

import (
	"strings"
	"sync"
	"testing"
)

// Rebuilding the index does not affect processes that use it at the same time.
func TestIndexBesideRebuild(t *testing.T) {
	dir, home := sessionsCopy(t), t.TempDir()
	for round := range 12 {
		var all sync.WaitGroup
		for _, args := range [][]string{{"doctor", "--reindex"}, {"ls", "--all"}, {"search", "linker"}, {"doctor", "--reindex"}} {
			all.Go(func() {
				d := desk{cwd: dir, env: map[string]string{"HOME": home}}
				if code, _, stderr := d.run(t, append(args, "--session-dir", dir)...); code != 0 && !strings.Contains(stderr, "another process is writing") { // a busy machine
					t.Errorf("round %d: pith %q = %d, %s", round, args, code, stderr)
				}
			})
		}
		all.Wait()
	}
	d := desk{cwd: dir, env: map[string]string{"HOME": home}}
	if _, stdout, _ := d.run(t, "search", "linker", "--json", "--session-dir", dir); len(stdout) < 100 {
		t.Errorf("after all that the search finds %s", stdout)
	}
}
