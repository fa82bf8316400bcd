package redact_test

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// vendorKind is a line of testdata/vendors.txt or testdata/attack.txt.
type vendorKind struct{ id, text string }

func vendorKinds(t *testing.T, name string) (all []vendorKind, words map[string]string) {
	t.Helper()
	file, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	words = map[string]string{}
	for line := range strings.Lines(string(file)) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), " ", 3)
		switch {
		case len(fields) < 3 || fields[0] == "#":
		case fields[0] == "=":
			words[fields[1]] = fields[2]
		default:
			all = append(all, vendorKind{fields[0], fields[2]})
		}
	}
	return all, words
}

var (
	variable    = regexp.MustCompile(`<<(.*?)>>|\{\{(.*?)\}\}(\}?)`)
	vendorWords = regexp.MustCompile(`[A-Z]+[0-9]*`)
)

// make makes up the n-th text of the kind, with its secrets.
func (k vendorKind) make(t *testing.T, words map[string]string, n uint64) (text string, secrets []string) {
	t.Helper()
	seed := fnv.New64a()
	seed.Write([]byte(k.id))
	random := rand.New(rand.NewPCG(seed.Sum64(), n))
	text = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(variable.ReplaceAllStringFunc(k.text, func(s string) string {
		groups := variable.FindStringSubmatch(s)
		expr := groups[1]
		if groups[2] != "" {
			expr = groups[2] + groups[3] // an expression may end with a brace
		}
		tree, err := syntax.Parse(vendorWords.ReplaceAllStringFunc(expr, func(w string) string {
			if meaning, there := words[w]; there {
				return meaning
			}
			return w
		}), syntax.Perl)
		if err != nil {
			t.Fatalf("%s: %v", k.id, err)
		}
		var out strings.Builder
		write(&out, tree, random)
		if groups[1] != "" {
			secrets = append(secrets, out.String())
		}
		return out.String()
	}))
	return text, secrets
}

// TestVendors wants 75 of 100 secrets of the list that no rule was written for
// found for certain, 90 together with suspects, and docs/reference/redaction.md to
// state the figures.
func TestVendors(t *testing.T) { testRates(t, "vendors.txt", 75, 90) }

// TestAttack wants what an attack found to stay mended.
func TestAttack(t *testing.T) { testRates(t, "attack.txt", 92, 98) }

func testRates(t *testing.T, list string, leastCertain, leastFound float64) {
	const each = 3
	all, words := vendorKinds(t, list)
	if len(all) < 250 {
		t.Fatalf("%d kinds; want 250", len(all))
	}
	tried, certain, found := 0, 0, 0
	for _, k := range all {
		for n := range uint64(each) {
			text, secrets := k.make(t, words, n)
			tried++
			line := []byte(strings.Replace(places["unknown"], "%s", escaped(text), 1))
			only, _ := vendorRedactor(t, true).Line(line)
			both, _ := vendorRedactor(t, false).Line(line)
			if !leaks(string(only), secrets) {
				certain++
			}
			if !leaks(string(both), secrets) {
				found++
			} else if testing.Verbose() {
				t.Logf("missed %s: %q", k.id, text)
			}
		}
	}
	page, err := os.ReadFile("../docs/reference/redaction.md")
	if err != nil {
		t.Fatal(err)
	}
	rate := func(n int) float64 { return 100 * float64(n) / float64(tried) }
	t.Logf("%d kinds, %d texts: %.1f %% certain, %.1f %% with suspects", len(all), tried, rate(certain), rate(found))
	if row := fmt.Sprintf("| %d | %d | %.1f %% | %.1f %% |", len(all), tried, rate(certain), rate(found)); !strings.Contains(string(page), row) {
		t.Errorf("docs/reference/redaction.md does not say %q", row)
	}
	if rate(certain) < leastCertain || rate(found) < leastFound {
		t.Errorf("%.1f %% certain, %.1f %% with suspects; want %v and %v", rate(certain), rate(found), leastCertain, leastFound)
	}
}

// vendorRedactor returns a Redactor that has learned nothing, so that no text
// helps another.
func vendorRedactor(t *testing.T, keep bool) *redact.Redactor {
	return newRedactor(t, redact.Options{KeepSuspects: keep})
}

// leaks reports whether a line reveals one of the secrets, or a half of it.
func leaks(line string, secrets []string) bool {
	for _, s := range secrets {
		s = escaped(s)
		if half := len(s) / 2; strings.Contains(line, s[:half]) || strings.Contains(line, s[half:]) {
			return true
		}
	}
	return false
}
