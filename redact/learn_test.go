package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pith-sessions/pith/redact"
)

// TestFoundOnceGoneEverywhere looks for a password in a session that names it
// once, at the end.
func TestFoundOnceGoneEverywhere(t *testing.T) {
	const secret = "k9Xw2LmQ4xvT7hb!"
	lines := []string{
		`{"type":"session","id":"01a1e12a-eea8-7050-a031-60f35b86e621","cwd":"/srv/` + secret + `"}`,
		`{"type":"message","id":"0a1b2c3d","message":{"role":"user","content":"run echo ` + secret + ` first, prefix` + secret + `suffix"}}`,
		`{"type":"message","id":"1a1b2c3d","message":{"role":"toolResult","content":"` + base64.StdEncoding.EncodeToString([]byte("it is "+secret+" now")) + `"}}`,
		`{"type":"message","id":"2a1b2c3d","message":{"role":"toolResult","content":"` + hex.EncodeToString([]byte(secret)) + ` and ?q=` + url.QueryEscape(secret) + `"}}`,
		`{"type":"message","id":"3a1b2c3d","message":{"role":"assistant","content":"DB_PASSWORD=` + secret + `"}}`,
	}
	r := newRedactor(t, redact.Options{})
	for _, line := range lines {
		r.Learn([]byte(line))
	}
	for _, line := range lines {
		out, found := r.Line([]byte(line))
		checkLine(t, []byte(line), out, found)
		if len(found) == 0 || readable(string(out), secret) {
			t.Errorf("Line(%s) = %s", line, out)
		}
	}
	if name, _ := r.Text("notes on " + secret + ".html"); strings.Contains(name, secret) {
		t.Errorf("Text = %q", name)
	}
	again := newRedactor(t, redact.Options{})
	again.LearnFrom(r)
	if found, err := again.Check(strings.NewReader("<p>run " + secret + "</p>\n")); err != nil || len(found) != 1 {
		t.Errorf("Check = %v, %v; want the secret", found, err)
	}
	both := newRedactor(t, redact.Options{})
	if err := both.LearnFile(strings.NewReader(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	if out, found := both.Text("see " + secret); len(found) != 1 || found[0].Number != 1 {
		t.Errorf("Text = %q, %v after LearnFile", out, found)
	}
}

// TestNotLearned wants words of every day, IDs and roles left alone, although
// something names them as secrets.
func TestNotLearned(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	r.Learn([]byte(`{"a":"POSTGRES_PASSWORD=postgres ADMIN_PASSWORD=development SECRET=0a1b2c3d0a1b2c3d"}`))
	for _, line := range []string{
		`{"type":"message","id":"0a1b2c3d0a1b2c3d","message":{"role":"user","content":"start postgres in development"}}`,
	} {
		if out, found := r.Line([]byte(line)); len(found) > 0 {
			t.Errorf("Line(%s) = %s", line, out)
		}
	}
}

// readable reports whether a reader who knows common encodings reads a secret.
func readable(text, secret string) bool {
	forms := []string{secret, escaped(secret), escaped(escaped(secret)), url.QueryEscape(secret), url.PathEscape(secret), unicoded(secret),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	for shift := range 3 {
		digits := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
		forms = append(forms, digits[4*((shift+2)/3):len(digits)-4])
	}
	plain := strings.NewReplacer("\x1b[1;31m", "", `\u001b[1;31m`, "", "\x00", "", `\u0000`, "", "\u200b", "").Replace(text)
	for _, form := range forms {
		if strings.Contains(text, form) || strings.Contains(plain, form) {
			return true
		}
	}
	return false
}

// madeUp returns a password as a generator makes it.
func madeUp(random *rand.Rand) string {
	const letters = "abcdefghijkmnopqrstuvwyzABCDEFGHJKLMNPQRSTUVWYZ23456789" // xxxx would be an example
	var out strings.Builder
	for i := range 14 {
		if i == 6 {
			out.WriteByte("!#."[random.IntN(3)])
		}
		out.WriteByte(letters[random.IntN(len(letters))])
	}
	return "x7" + out.String()
}

// TestPlantedSecrets plants secrets in random sessions: each once where
// something tells that it is one, and elsewhere without, in every encoding. No
// byte of the result may tell it.
func TestPlantedSecrets(t *testing.T) {
	tells := []string{"DB_PASSWORD=%s\n", `{"password": "%s"}`, "--password %s --x", "postgres://app:%s@db/x"}
	hides := map[string]func(string) string{
		"plain":   escaped,
		"twice":   func(s string) string { return escaped(`{"a":"` + escaped(s) + `"}`) },
		"thrice":  func(s string) string { return escaped(`{"a":"` + escaped(`{"b":"`+escaped(s)+`"}`) + `"}`) },
		"unicode": unicoded,
		"color":   func(s string) string { return escaped(s[:4]) + `\u001b[1;31m` + escaped(s[4:]) },
		"NUL":     func(s string) string { return escaped(s[:5]) + `\u0000` + escaped(s[5:]) },
		"width":   func(s string) string { return escaped(s[:5]) + "\u200b" + escaped(s[5:]) },
		"base64": func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte("the words " + s + " and more"))
		},
		"hex":    func(s string) string { return hex.EncodeToString([]byte(s)) },
		"URL":    url.QueryEscape,
		"inside": func(s string) string { return "echo" + escaped(s) + "done" },
	}
	names := make([]string, 0, len(hides))
	for name := range hides {
		names = append(names, name)
	}
	rapid.Check(t, func(t *rapid.T) {
		var secrets, lines []string
		for range rapid.IntRange(1, 4).Draw(t, "secrets") {
			secret := madeUp(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
			secrets = append(secrets, secret)
			telling := fmt.Sprintf(rapid.SampledFrom(tells).Draw(t, "tell"), secret)
			lines = append(lines, fmt.Sprintf(`{"type":"message","id":"%08x","message":{"role":"user","content":"%s"}}`, len(lines), escaped(telling)))
			for range rapid.IntRange(1, 6).Draw(t, "places") {
				hidden := hides[rapid.SampledFrom(names).Draw(t, "how")](secret)
				form := rapid.SampledFrom([]string{
					`{"type":"message","id":"%08x","message":{"role":"toolResult","content":"words %s words"}}`,
					`{"type":"custom","id":"%08x","data":{"of %s ":[1]}}`,
					`{"type":"message","id":"%08x","message":{"role":"toolResult","content":"torn %s wor`,
				}).Draw(t, "form")
				lines = append(lines, fmt.Sprintf(form, len(lines), hidden))
			}
		}
		lines = rapid.Permutation(lines).Draw(t, "order")
		r, err := redact.New(redact.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			r.Learn([]byte(line))
		}
		var whole bytes.Buffer
		for _, line := range lines {
			out, found := r.Line([]byte(line))
			checkLine(t, []byte(line), out, found)
			whole.Write(append(out, '\n'))
			var decoded any
			if json.Unmarshal(out, &decoded) == nil {
				fmt.Fprintln(&whole, decoded)
			}
		}
		for _, secret := range secrets {
			if readable(whole.String(), secret) {
				t.Fatalf("%q is readable in:\n%s\nwhich was\n%s", secret, whole.String(), strings.Join(lines, "\n"))
			}
		}
		if found, err := r.Check(bytes.NewReader(whole.Bytes())); err != nil || len(found) > 0 {
			t.Fatalf("Check = %v, %v of\n%s", found, err, whole.String())
		}
	})
}
