package blame_test

import (
	"math/rand/v2"
	"os"
	"testing"

	"pgregory.net/rapid"
)

// No line of a generated history is attributed to the wrong edit, and most of the lines
// that agents wrote are attributed.
func TestGeneratedHistories(t *testing.T) {
	tests := map[string]plan{
		"Git, all programs": {files: 24, steps: 900, sessions: 40, git: true, styles: allStyles},
		"no Git, pi alone":  {files: 12, steps: 500, sessions: 20, styles: []string{"gemini"}},
	}
	for name, p := range tests {
		if testing.Short() {
			p.steps /= 10
		}
		t.Run(name, func(t *testing.T) {
			dice := rand.New(rand.NewPCG(29, 1))
			s := generate(t, t.TempDir(), p, dice.IntN).judge()
			t.Log(s)
			if s.wrong > 0 {
				t.Errorf("%d of %d attributed lines are wrong", s.wrong, s.named)
			}
			if s.found*100 < s.written*80 {
				t.Errorf("%d of %d lines are found, want 80 %%", s.found, s.written)
			}
		})
	}
}

// Small histories of every kind hold it too.
func TestNothingIsAttributedWrongly(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp("", "blame")
		if err != nil {
			r.Fatal(err)
		}
		defer os.RemoveAll(dir)
		p := plan{
			files: rapid.IntRange(1, 3).Draw(r, "files"), steps: rapid.IntRange(5, 40).Draw(r, "steps"),
			sessions: rapid.IntRange(1, 5).Draw(r, "sessions"), styles: allStyles,
		}
		dice := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 7))
		if s := generate(t, dir, p, dice.IntN).judge(); s.wrong > 0 {
			r.Fatalf("%v", s)
		}
	})
}
