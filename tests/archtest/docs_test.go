package archtest_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fence      = regexp.MustCompile("(?ms)^```.*?^```$|^    [^\n]*$|<!--.*?-->")
	codeSpan   = regexp.MustCompile("`[^`]*`")
	link       = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading    = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
	linkInText = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	notInSlug  = regexp.MustCompile(`[^\p{L}\p{N}\-_ ]`)
)

// pages returns the text of all documents by their path from the top of the
// repository.
func pages(t *testing.T) map[string]string {
	t.Helper()
	paths := []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"}
	err := filepath.WalkDir(filepath.Join(top, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			rel, _ := filepath.Rel(top, path) // below top
			paths = append(paths, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, path := range paths {
		texts[path] = readTop(t, path)
	}
	return texts
}

func readTop(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestLinks checks that every link inside the repository leads to a file, and to a
// heading if it has an anchor, and that the index leads to every document.
func TestLinks(t *testing.T) {
	texts := pages(t)
	linked := map[string]bool{"docs/README.md": true}
	for page, text := range texts {
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(fence.ReplaceAllString(text, ""), ""), -1) {
			path, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(path, ":") {
				continue // another site
			}
			target := page
			if path != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(page), path))
			}
			if _, err := os.Stat(filepath.Join(top, filepath.FromSlash(target))); err != nil {
				t.Errorf("%s: no such file: %s", page, m[1])
				continue
			}
			if strings.HasPrefix(page, "docs/") {
				linked[target] = true
			}
			if anchor != "" && !slices.Contains(anchors(texts[target]), anchor) {
				t.Errorf("%s: no such heading: %s", page, m[1])
			}
		}
	}
	for page := range texts {
		if strings.HasPrefix(page, "docs/") && !linked[page] {
			t.Errorf("no document links to %s", page)
		}
	}
}

// anchors are the names under which GitHub links to the headings of a page.
func anchors(text string) (names []string) {
	seen := map[string]int{}
	text = regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		name := linkInText.ReplaceAllString(m[1], "$1")
		name = strings.ReplaceAll(notInSlug.ReplaceAllString(strings.ToLower(name), ""), " ", "-")
		if n := seen[name]; n > 0 {
			names = append(names, fmt.Sprintf("%s-%d", name, n))
		} else {
			names = append(names, name)
		}
		seen[name]++
	}
	return names
}

const longestSentence = 30

// TestShortSentences checks the tutorial and the how-to guides.
func TestShortSentences(t *testing.T) {
	checked := 0
	for page, text := range pages(t) {
		if page != "docs/tutorial.md" && !strings.HasPrefix(page, "docs/how-to/") {
			continue
		}
		checked++
		for _, sentence := range sentences(text) {
			if n := len(strings.Fields(sentence)); n > longestSentence {
				t.Errorf("%s: %d words: %s", page, n, strings.Join(strings.Fields(sentence), " "))
			}
		}
	}
	if checked < 10 {
		t.Errorf("%d pages checked", checked)
	}
}

var sentenceEnd = regexp.MustCompile(`[.!?](?:\s|$)|\n\n|\n[-*#] |\n\d+\. | \| |\|\n`)

// sentences splits a page without its code. A cell of a table is a sentence.
func sentences(text string) []string {
	text = fence.ReplaceAllString(text, "\n\n")
	text = codeSpan.ReplaceAllString(text, "code")
	text = linkInText.ReplaceAllString(text, "$1")
	return sentenceEnd.Split(text, -1)
}

// notHere are words that the documents do not use: British spelling, and phrases
// that read like a translation.
var notHere = regexp.MustCompile(`(?i)\b(colours?|behaviours?|summaris\w+|licences?|anew|nobody|somebody|whoever|relatives|is told|are told|is said|` +
	`stands? (?:here|there|in|at|on|for|beside|behind)|beside|messages? of the user|results of tools|takes? back|bring back|hands? on|mends?|former (?:file|state)s?|exchanges?|folders?)\b`)

// TestPlainWords checks the README and all documents except the decisions.
func TestPlainWords(t *testing.T) {
	for page, text := range pages(t) {
		if page == "docs/internals/decisions.md" || !strings.HasPrefix(page, "docs/") && page != "README.md" {
			continue
		}
		if _, byHand, ok := strings.Cut(text, "<!-- End of the generated part. -->"); ok && strings.HasPrefix(page, "docs/reference/commands/") {
			text = byHand
		}
		text = codeSpan.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
		for line := range strings.Lines(text) {
			if m := notHere.FindString(line); m != "" {
				t.Errorf("%s: %q in: %s", page, m, strings.TrimSpace(line))
			}
		}
	}
}

// TestReferenceIsComplete checks that the pages of the reference name everything that
// the sources have: settings, environment variables, actions of keys, packages.
func TestReferenceIsComplete(t *testing.T) {
	settings := readTop(t, "docs/reference/settings.md")
	mentions := func(page, text string, names ...string) {
		t.Helper()
		if len(names) < 5 {
			t.Errorf("%d names for %s: this test tests too little", len(names), page)
		}
		for _, name := range names {
			if !strings.Contains(text, "`"+name+"`") {
				t.Errorf("%s does not name %s", page, name)
			}
		}
	}
	found := func(pattern, source string) (names []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(source, -1) {
			names = append(names, m[1])
		}
		return names
	}
	mentions("settings.md", settings, found(`(?m)^\t\t"([a-zA-Z.]+)": +\S`, readTop(t, "internal/settings/apply.go"))...)

	var variables, packages []string
	for file := range sources(t) {
		if strings.HasPrefix(file, "tests/") || strings.HasPrefix(file, "examples/") {
			continue
		}
		variables = append(variables, found(`"((?:PITH|PI|ATOMIC|OMP|OPENCLAW|CLAUDE|CODEX|COPILOT)_[A-Z_]+)"`, readTop(t, filepath.ToSlash(file)))...)
		dir := filepath.ToSlash(filepath.Dir(file))
		if !strings.Contains("/"+dir+"/", "/internal/") && !strings.HasPrefix(dir, "cmd") && !strings.HasPrefix(dir, "integrations") && !strings.HasSuffix(dir, "test") && dir != "." {
			packages = append(packages, dir)
		}
	}
	variables = slices.DeleteFunc(variables, func(name string) bool { return strings.HasPrefix(name, "PITH_TEST") })
	mentions("settings.md", settings, variables...)
	mentions("keys.md", readTop(t, "docs/reference/keys.md"), found(`Action = "([^"]+)"`, readTop(t, "cmd/pith/internal/tui/keys/actions.go"))...)
	slices.Sort(packages)
	mentions("packages.md", readTop(t, "docs/reference/packages.md"), slices.Compact(packages)...)
}
