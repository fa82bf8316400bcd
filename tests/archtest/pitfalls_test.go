package archtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

var (
	listedPitfall = regexp.MustCompile(`(?m)^(\d+)\. `)
	namedPitfalls = regexp.MustCompile(`pitfalls? ((?:\d+(?:, | and | to )?)+)`)
	number        = regexp.MustCompile(`\d+`)
)

// Every pitfall that a comment names is in docs/pitfalls.md, which numbers them
// without a gap.
func TestPitfallsAreListed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(top, "docs", "pitfalls.md"))
	if err != nil {
		t.Fatal(err)
	}
	last := 0
	for _, m := range listedPitfall.FindAllSubmatch(text, -1) {
		if n, _ := strconv.Atoi(string(m[1])); n != last+1 {
			t.Errorf("docs/pitfalls.md: %d follows %d", n, last)
		}
		last++
	}
	named := map[int]bool{}
	for _, file := range goFiles(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range namedPitfalls.FindAllSubmatch(unwrapped(text), -1) {
			for _, digits := range number.FindAll(m[1], -1) {
				n, _ := strconv.Atoi(string(digits))
				if n < 1 || n > last {
					t.Errorf("%s names pitfall %d, which docs/pitfalls.md lacks", file, n)
				}
				named[n] = true
			}
		}
	}
	if len(named) < 100 {
		t.Errorf("%d pitfalls are named in the code: this test sees too little", len(named))
	}
}

// unwrapped joins the lines of comments.
func unwrapped(text []byte) []byte {
	return regexp.MustCompile(`\n\s*// `).ReplaceAll(text, []byte(" "))
}
