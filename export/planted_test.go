package export_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/export"
)

// TestPlantedSecrets exports random sessions, in which something tells once that
// a value is secret and other entries have it in every encoding. No byte of an
// export may tell it, whatever the format, and neither may the title and the file
// name; what is exported as a session opens.
func TestPlantedSecrets(t *testing.T) {
	tells := []string{"DB_PASSWORD=%s\n", `{"password": "%s"}`, "--password %s --x", "postgres://app:%s@db/x", `client.login("svc", "%s")`}
	hides := []func(string) string{
		func(s string) string { return "run " + s + " now" },
		func(s string) string { return quoted(`{"a":"` + quoted(`{"b":"`+quoted(s)+`"}`) + `"}`) },
		func(s string) string { return s[:5] + "\x1b[1;31m" + s[5:] },
		func(s string) string { return s[:5] + "\x00" + s[5:] },
		func(s string) string {
			return base64.StdEncoding.EncodeToString([]byte("the words " + s + " and more"))
		},
		func(s string) string { return hex.EncodeToString([]byte(s)) },
		url.QueryEscape,
		html.EscapeString,
	}
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 7))
		var secrets []string
		lines := []string{`{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/u/p"}`}
		parent := "null"
		say := func(text string) {
			id := fmt.Sprintf("%08x", len(lines))
			at := fmt.Sprintf("2026-02-03T22:52:%02d.000Z", len(lines))
			form := random.IntN(4)
			switch {
			case form == 0:
				lines = append(lines, fmt.Sprintf(`{"type":"session_info","id":%q,"parentId":%s,"timestamp":%q,"name":"%s"}`, id, parent, at, quoted(text)))
			case form == 1:
				lines = append(lines, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{"role":"assistant","provider":"p","model":"m","content":[{"type":"toolCall","id":"c%s","name":"bash","arguments":{"command":"%s"}}]}}`, id, parent, at, id, quoted(text)))
			default:
				lines = append(lines, fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":%q,"message":{"role":"user","content":"%s"}}`, id, parent, at, quoted(text)))
			}
			if random.IntN(3) > 0 { // else the next one branches off
				parent = fmt.Sprintf("%q", id)
			}
		}
		for range 2 {
			secret := fmt.Sprintf("x%d%s!%s", random.IntN(9)+1, letters(random, 7), letters(random, 8))
			secrets = append(secrets, secret)
			tell := random.IntN(4)
			for i := range 6 {
				if i == tell {
					say(fmt.Sprintf(tells[random.IntN(len(tells))], secret))
				}
				say(hides[random.IntN(len(hides))](secret))
			}
		}
		s := session(t, strings.Join(lines, "\n")+"\n")
		for name, o := range map[string]export.Options{"page": {}, "Markdown": {Format: export.Markdown, AllBranches: true}, "session": {Format: export.JSONL}, "trajectory": {Format: export.ATIF}, "turn": {Turns: "1"}} {
			plan, err := export.Review(t.Context(), s, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := plan.WriteFile(t.Context(), filepath.Join(t.TempDir(), "out"), false); err != nil {
				t.Fatalf("seed %d, %s: %v", seed, name, err)
			}
			got := write(t, s, o)
			whole := unpacked(t, got) + plan.Title() + plan.FileName()
			for _, secret := range secrets {
				if form := readableAs(whole, secret); form != "" {
					t.Errorf("seed %d, %s: %q is readable as %q of\n%s", seed, name, secret, form, strings.Join(lines, "\n"))
				}
			}
			if o.NoRedact = true; o.Turns == "" && readableAs(unpacked(t, write(t, s, o)), secrets[0]) == "" {
				t.Fatalf("seed %d, %s: not readable even without redaction: this tests nothing", seed, name)
			}
			if o.Format == export.JSONL {
				if again := session(t, got); again.View().Len() != s.View().Len() || len(again.Findings()) > 0 {
					t.Errorf("seed %d: %d entries and %v; want %d", seed, again.View().Len(), again.Findings(), s.View().Len())
				}
			}
		}
	}
}

func letters(random *rand.Rand, n int) string {
	const all = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"
	out := make([]byte, n)
	for i := range out {
		out[i] = all[random.IntN(len(all))]
	}
	return string(out)
}

// quoted returns a text as the content of a JSON string.
func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b[1 : len(b)-1])
}

// readableAs returns the form in which a reader who knows common encodings reads a
// secret in a text, or "".
func readableAs(text, secret string) string {
	forms := []string{secret, quoted(secret), quoted(quoted(secret)), url.QueryEscape(secret), html.EscapeString(secret), hex.EncodeToString([]byte(secret))}
	for shift := range 3 {
		digits := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
		forms = append(forms, digits[4*((shift+2)/3):len(digits)-4])
	}
	plain := strings.NewReplacer("\x1b[1;31m", "", `\u001b[1;31m`, "", "\x00", "", `\u0000`, "", "\ufffd", "").Replace(html.UnescapeString(text))
	for _, form := range forms {
		if strings.Contains(text, form) || strings.Contains(plain, form) {
			return form
		}
	}
	return ""
}
