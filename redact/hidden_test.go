package redact_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pith-sessions/pith/redact"
)

// hidings encode a token so that it does not occur literally.
var hidings = map[string]func(token string) string{
	"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
	"upper hex":  func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte("token: " + s))) },
	"UTF-16LE":   func(s string) string { return wide(s, binary.LittleEndian) },
	"UTF-16BE":   func(s string) string { return wide("the key "+s, binary.BigEndian) },
	"NUL":        func(s string) string { return s[:len(s)/2] + "\x00" + s[len(s)/2:] },
	"CR":         func(s string) string { return s[:len(s)/2] + "\r" + s[len(s)/2:] },
	"backspace":  func(s string) string { return s[:len(s)/2] + "\b" + s[len(s)/2:] },
	"overstrike": func(s string) string { return s[:8] + "\b" + s[7:] },
	"letter":     func(s string) string { return "x" + s },
	"var_":       func(s string) string { return "var_" + s },
}

func wide(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

// leftOf undoes what a reader can undo without knowing how a token was hidden, and
// returns eight characters in a row of it that are left.
func leftOf(out, token string) string {
	plain := strings.NewReplacer("\r", "", "\x00", "", "\b", "").Replace(out)
	for i := 4; i+8 <= len(token); i++ {
		piece := token[i : i+8]
		if strings.Contains(plain, piece) || strings.Contains(strings.ToLower(plain), hex.EncodeToString([]byte(piece))) {
			return piece
		}
	}
	return ""
}

// hiddenTokens are 30 of those that have a form of their own.
func hiddenTokens(t *testing.T) (tokens []string) {
	t.Helper()
	for _, id := range strings.Fields(`openai-project anthropic openrouter groq xai huggingface replicate gemini aws-access-key github-classic github-fine gitlab npm pypi slack-bot
		stripe-live sendgrid digitalocean shopify docker-pat databricks vault doppler linear figma sentry-user grafana-service planetscale circleci jwt`) {
		for _, k := range kinds(t) {
			if k.id == id {
				_, token := k.make(t)
				tokens = append(tokens, token)
			}
		}
	}
	if len(tokens) != 30 {
		t.Fatalf("%d tokens; want 30", len(tokens))
	}
	return tokens
}

// TestHidden wants tokens found that are written in digits, torn apart by
// invisible characters or glued to something.
func TestHidden(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	for name, hide := range hidings {
		found := 0
		tokens := hiddenTokens(t)
		for _, token := range tokens {
			line, err := json.Marshal(map[string]string{"type": "text", "text": "got this:\n" + hide(token) + "\nand that"})
			if err != nil {
				t.Fatal(err)
			}
			out, findings := r.Line(line)
			checkLine(t, line, out, findings)
			var back struct{ Text string }
			if err := json.Unmarshal(out, &back); err != nil {
				t.Fatal(err)
			}
			left := leftOf(back.Text, token)
			if len(findings) > 0 && left == "" && strings.HasPrefix(back.Text, "got this:\n") && strings.HasSuffix(back.Text, "and that") {
				found++
			} else {
				t.Logf("%s: %q of %q is left in %q", name, left, token, back.Text)
			}
		}
		t.Logf("%s: %d of %d", name, found, len(tokens))
		if found < len(tokens) {
			t.Errorf("%s: %d of %d found", name, found, len(tokens))
		}
	}
}
