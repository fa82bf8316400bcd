package redact_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// gitleaks is the other column of the table in docs/reference/redaction.md,
// which is written again if the flag is set:
//
//	GOBIN=/tmp go install github.com/zricethezav/gitleaks/v8@v8.30.1
//	go test ./redact -run TestKinds -gitleaks /tmp/gitleaks
var gitleaks = flag.String("gitleaks", "", "compare with the gitleaks at this `path` and write docs/reference/redaction.md")

// kind is a kind of secret. Without a name it is a text of its own.
type kind struct{ group, id, name, expr string }

// kinds reads testdata/kinds.txt.
func kinds(t *testing.T) (all []kind) {
	t.Helper()
	text, err := os.ReadFile("testdata/kinds.txt")
	if err != nil {
		t.Fatal(err)
	}
	group := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutPrefix(line, "# --- "); ok {
			group = title
		}
		if fields := strings.SplitN(line, " ", 3); len(fields) == 3 && line[0] != '#' {
			all = append(all, kind{group, fields[0], strings.TrimPrefix(fields[1], "-"), fields[2]})
		}
	}
	return all
}

// make makes one up: always the same for the same kind.
func (k kind) make(t *testing.T) (text, secret string) {
	t.Helper()
	tree, err := syntax.Parse(k.expr, syntax.Perl)
	if err != nil {
		t.Fatalf("%s: %v", k.id, err)
	}
	seed := fnv.New64a()
	seed.Write([]byte(k.id))
	var out strings.Builder
	write(&out, tree, rand.New(rand.NewPCG(seed.Sum64(), 1)))
	groups := regexp.MustCompile(k.expr).FindStringSubmatch(out.String())
	if groups == nil {
		t.Fatalf("%s: %q does not match itself", k.id, out.String())
	}
	return out.String(), groups[len(groups)-1]
}

// contexts are the places of values. Only the first two contain further text.
var contexts = []struct {
	name  string
	place func(k kind, value string) string
}{
	{"prose", func(k kind, value string) string {
		if k.name == "" {
			return "It works with this:\n\n" + value + "\n\nThe rest is as before.\n"
		}
		return "The " + strings.ToLower(strings.ReplaceAll(k.name, "_", " ")) + " is " + value + ", and it works on my machine.\n"
	}},
	{"JSON", func(k kind, value string) string {
		name := "stdout"
		if k.name != "" {
			words := strings.Split(strings.ToLower(k.name), "_")
			for i := 1; i < len(words); i++ {
				words[i] = strings.ToUpper(words[i][:1]) + words[i][1:]
			}
			name = strings.Join(words, "")
		}
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(map[string]any{"a": 1, name: value, "z": true}); err != nil {
			panic(err)
		}
		return out.String()
	}},
	{"header", func(k kind, value string) string {
		if len(k.id)%2 == 0 {
			return `curl -H "Authorization: Bearer ` + value + `" https://api.host.test/v1/me` + "\n"
		}
		return "GET /v1/me HTTP/1.1\nX-" + strings.ReplaceAll(strings.ToLower(k.name), "_", "-") + ": " + value + "\nAccept: */*\n"
	}},
	{"URL", func(k kind, value string) string {
		return "fetch https://api.host.test/v1/items?limit=10&" + strings.ToLower(k.name) + "=" + url.QueryEscape(value) + "&page=2 for it\n"
	}},
	{"env", func(k kind, value string) string {
		return "PORT=8080\nexport " + k.name + "=" + value + "\nDEBUG=true\n"
	}},
	{"flag", func(k kind, value string) string {
		between := []string{" ", "="}[len(k.id)%2]
		return "$ deploy run --verbose --" + strings.ReplaceAll(strings.ToLower(k.name), "_", "-") + between + value + " --region eu\n"
	}},
}

// kindCase is a kind in a context.
type kindCase struct {
	kind          kind
	context       int
	text, secret  string
	pith, another bool // found by
}

// told reports whether a text reveals a secret, or a half of it.
func told(text, secret string) bool {
	if plain, err := url.QueryUnescape(text); err == nil {
		text += plain
	}
	var decoded struct{ Stdout string }
	if json.Unmarshal([]byte(text), &decoded) == nil {
		text += decoded.Stdout
	}
	half := len(secret) / 2
	return strings.Contains(text, secret[:half]) || strings.Contains(text, secret[half:])
}

// TestKinds wants 95 of 100 kinds of secrets found by rules alone in each context,
// and the figures in the documents to be these.
func TestKinds(t *testing.T) {
	r := newRedactor(t, redact.Options{KeepSuspects: true})
	all := kinds(t)
	if len(all) < 300 {
		t.Fatalf("%d kinds; want 300", len(all))
	}
	var cases []kindCase
	for _, k := range all {
		text, secret := k.make(t)
		for i, context := range contexts {
			if k.name != "" || i < 2 {
				c := kindCase{kind: k, context: i, text: context.place(k, text), secret: secret}
				out, _ := r.Text(c.text)
				if c.pith = !told(out, secret); !c.pith {
					t.Logf("missed %s in %s: %q", k.id, context.name, out)
				}
				cases = append(cases, c)
			}
		}
	}
	if *gitleaks != "" {
		runGitleaks(t, cases)
		for _, c := range cases {
			if c.another && !c.pith {
				t.Errorf("gitleaks finds %s in %s", c.kind.id, contexts[c.context].name)
			}
		}
		writeKinds(t, cases)
	}
	page, err := os.ReadFile("../docs/reference/redaction.md")
	if err != nil {
		t.Fatal(err)
	}
	for i, context := range contexts {
		found, of := 0, 0
		for _, c := range cases {
			if c.context == i {
				of++
				if c.pith {
					found++
				}
			}
		}
		t.Logf("%s: %d of %d", context.name, found, of)
		if found*100 < of*95 {
			t.Errorf("%s: %d of %d kinds found; want 95 %%", context.name, found, of)
		}
		if row := fmt.Sprintf("| %s | %d | %d |", context.name, of, found); !strings.Contains(string(page), row) {
			t.Errorf("docs/reference/redaction.md does not say %q", row)
		}
	}
}

// runGitleaks says what gitleaks leaves of the cases when what it reports is taken out.
func runGitleaks(t *testing.T, cases []kindCase) {
	t.Helper()
	dir := t.TempDir()
	for i, c := range cases {
		writeFile(t, c.text, dir, "cases", fmt.Sprintf("%d.txt", i))
	}
	report := filepath.Join(dir, "report.json")
	if out, err := exec.Command(*gitleaks, "dir", filepath.Join(dir, "cases"), "--exit-code", "0", "--no-banner", "-f", "json", "-r", report).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var found []struct{ File, Secret string }
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	left := map[string]string{}
	for i, c := range cases {
		left[fmt.Sprintf("%d.txt", i)] = c.text
	}
	for _, f := range found {
		name := filepath.Base(f.File)
		left[name] = strings.ReplaceAll(left[name], f.Secret, "")
	}
	for i := range cases {
		cases[i].another = !told(left[fmt.Sprintf("%d.txt", i)], cases[i].secret)
	}
}

// writeKinds writes the tables of docs/reference/redaction.md.
func writeKinds(t *testing.T, cases []kindCase) {
	t.Helper()
	type row struct{ of, pith, another int }
	rows := map[string]*row{}
	var groups []string
	count := func(name string, c kindCase) {
		if rows[name] == nil {
			rows[name] = new(row)
		}
		r := rows[name]
		r.of++
		if c.pith {
			r.pith++
		}
		if c.another {
			r.another++
		}
	}
	for _, c := range cases {
		if len(groups) == 0 || groups[len(groups)-1] != c.kind.group {
			groups = append(groups, c.kind.group)
		}
		count(contexts[c.context].name, c)
		count(c.kind.group, c)
		count("together", c)
	}
	var out strings.Builder
	table := func(title string, names ...string) {
		fmt.Fprintf(&out, "| %s | cases | pith | gitleaks 8.30.1 |\n|---|---|---|---|\n", title)
		for _, name := range append(names, "together") {
			fmt.Fprintf(&out, "| %s | %d | %d | %d |\n", name, rows[name].of, rows[name].pith, rows[name].another)
		}
		out.WriteString("\n")
	}
	var names []string
	for _, context := range contexts {
		names = append(names, context.name)
	}
	table("context", names...)
	table("kinds", groups...)
	out.WriteString("Missed by pith:")
	before := ""
	for _, c := range cases {
		if !c.pith {
			if c.kind.id != before {
				fmt.Fprintf(&out, " %s in", c.kind.id)
			}
			fmt.Fprintf(&out, " %s;", contexts[c.context].name)
			before = c.kind.id
		}
	}
	const begin, end = "<!-- made by TestKinds -->\n", "<!-- until here -->\n"
	page, err := os.ReadFile("../docs/reference/redaction.md")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(page), begin)
	_, tail, too := strings.Cut(rest, end)
	if !ok || !too {
		t.Fatal("docs/reference/redaction.md has no place for the tables")
	}
	text := head + begin + strings.TrimSuffix(strings.TrimRight(out.String(), "\n"), ";") + "\n" + end + tail
	if err := os.WriteFile("../docs/reference/redaction.md", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
