package redact_test

import (
	"bytes"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/redact"
)

// TestGoSources wants at most 0.6 findings and 5 suspects a megabyte in Go's own
// sources, the keys and passwords of their tests included.
func TestGoSources(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	where, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(where)), "src")
	size, rules := 0, map[string]int{}
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size += len(text)
		found, err := r.Check(bytes.NewReader(text))
		lines := bytes.Split(text, []byte("\n"))
		for _, f := range found {
			rules[f.Rule]++
			t.Logf("%s: %s: %.150q", f.Rule, path[len(root)+1:], lines[f.Line-1])
		}
		return err
	})
	if err != nil || size < 10<<20 {
		t.Fatalf("%d bytes of sources in %s, %v", size, root, err)
	}
	found, suspects := 0, rules["suspect"]
	for _, n := range rules {
		found += n
	}
	found -= suspects
	megabytes := float64(size) / (1 << 20)
	rate, suspected := float64(found)/megabytes, float64(suspects)/megabytes
	t.Logf("%d findings in %d MB, %.2f for each, and %.2f suspects: %v", found, size>>20, rate, suspected, rules)
	if rate > 0.6 || suspected > 5 {
		t.Errorf("%.2f findings and %.2f suspects a megabyte of Go's sources; want at most 0.6 and 5", rate, suspected)
	}
}

// TestNoFalseAlarms wants nothing found in what is random and no secret, also where
// its name has a word of one.
func TestNoFalseAlarms(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	some := func(n int, letters string) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[random.IntN(len(letters))]
		}
		return string(b)
	}
	const digits, base = "0123456789abcdef", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
	uuid := func() string {
		return some(8, digits) + "-" + some(4, digits) + "-4" + some(3, digits) + "-a" + some(3, digits) + "-" + some(12, digits)
	}
	lines := map[string]func() string{
		"git":  func() string { return "commit " + some(40, digits) + "\nkey " + some(7, digits) + "\n" },
		"sums": func() string { return some(64, digits) + "  token-" + some(2, digits) + ".tar.gz\n" },
		"md5":  func() string { return some(32, digits) + "  secret.txt\n" },
		"uuid": func() string {
			return `{"id":"` + uuid() + `","key":"` + uuid() + `","token": "` + uuid() + `"}` + "\n"
		},
		"docker": func() string { return "auth: image@sha256:" + some(64, digits) + "\n" },
		"go.sum": func() string {
			return "example.org/key/v2 v2.1.0 h1:" + some(43, base) + "=\nexample.org/key/v2 v2.1.0/go.mod h1:" + some(43, base) + "=\n"
		},
		"npm": func() string {
			return `      "integrity": "sha512-` + some(86, base) + `==",` + "\n" + `      "resolved": "https://registry.npmjs.org/tokens/-/tokens-1.0.0.tgz#` + some(40, digits) + `",` + "\n"
		},
		"yarn": func() string {
			return "auth-token@^1.0.0:\n  version \"1.0.0\"\n  checksum: 10c0/" + some(128, digits) + "\n  integrity sha512-" + some(86, base) + "==\n"
		},
		"Cargo": func() string { return "[[package]]\nname = \"secrecy\"\nchecksum = \"" + some(64, digits) + "\"\n" },
		"pip":   func() string { return "keyring==25.0.0 \\\n    --hash=sha256:" + some(64, digits) + "\n" },
		"image": func() string {
			return `{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo` + some(4000, base) + `"}` + "\n"
		},
		"data":    func() string { return "<img src=\"data:image/jpeg;base64,/9j/" + some(2000, base) + "\">\n" },
		"wrapped": func() string { return some(76, base) + "\n" + some(76, base) + "\n" + some(40, base) + "==\n" },
		"hex": func() string {
			return "00000000: " + some(4, digits) + " " + some(4, digits) + " " + some(4, digits) + "\n"
		},
		"signature": func() string { return `{"thinkingSignature":"` + some(400, base) + `"}` + "\n" },
	}
	r := newRedactor(t, redact.Options{})
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		line, size := lines[name], 0
		for size < 1<<20 {
			text := ""
			for len(text) < 16<<10 {
				text += line()
			}
			size += len(text)
			found, err := r.Check(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				t.Errorf("%s: %s in %.100q", name, f.Rule, strings.Split(text, "\n")[f.Line-1])
			}
		}
	}
	for _, file := range []string{"../go.sum"} {
		text, err := os.ReadFile(file)
		if found := r.Find(text); err != nil || len(found) > 0 {
			t.Errorf("%s: %v, %v", file, found, err)
		}
	}
}
