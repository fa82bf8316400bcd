package redact_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pith-sessions/pith/redact"
)

// hidings encode a token so that it does not occur literally.
var hidings = map[string]func(token string) string{
	"hex":        func(s string) string { return hex.EncodeToString([]byte(s)) },
	"upper hex":  func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte("token: " + s))) },
	"hexdump -C": func(s string) string { return hex.Dump([]byte("key is " + s + " there\n")) },
	"xxd":        func(s string) string { return xxd("key is "+s+" there\n", "%08x: %-40s %s\n", false) },
	"hexdump":    func(s string) string { return xxd(s+"\n", "%07x %-40.40[2]s\n", true) },
	"od":         func(s string) string { return strings.ReplaceAll(fmt.Sprintf(" % x", s), " 5f", "\n 5f") },
	"UTF-16LE":   func(s string) string { return wide(s, binary.LittleEndian) },
	"UTF-16BE":   func(s string) string { return wide("the key "+s, binary.BigEndian) },
	"gzip":       func(s string) string { return packed(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }) },
	"zlib":       func(s string) string { return packed(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }) },
	"bytes Go":   func(s string) string { return fmt.Sprint([]byte(s)) },
	"bytes JS":   func(s string) string { return strings.ReplaceAll(fmt.Sprint([]byte("x="+s)), " ", ",") },
	"Buffer":     func(s string) string { return fmt.Sprintf("<Buffer % x>", s) },
	"bytes C":    func(s string) string { return fmt.Sprintf("{% #x}", s) },
	"line":       func(s string) string { return s[:len(s)/2] + "\n" + s[len(s)/2:] },
	"CRLF":       func(s string) string { return s[:len(s)/2] + "\r\n" + s[len(s)/2:] },
	"NUL":        func(s string) string { return s[:len(s)/2] + "\x00" + s[len(s)/2:] },
	"CR":         func(s string) string { return s[:len(s)/2] + "\r" + s[len(s)/2:] },
	"backspace":  func(s string) string { return s[:len(s)/2] + "\b" + s[len(s)/2:] },
	"overstrike": func(s string) string { return s[:8] + "\b" + s[7:] },
	"letter":     func(s string) string { return "x" + s },
	"var_":       func(s string) string { return "var_" + s },
}

func xxd(s, format string, swapped bool) string {
	var out strings.Builder
	for at := 0; at < len(s); at += 16 {
		row := []byte(s[at:min(at+16, len(s))])
		text := strings.Map(func(r rune) rune {
			if r < ' ' {
				return '.'
			}
			return r
		}, string(row))
		if swapped {
			if len(row)%2 == 1 {
				row = append(row, 0)
			}
			for i := 0; i < len(row); i += 2 {
				row[i], row[i+1] = row[i+1], row[i]
			}
		}
		pairs := ""
		for i := 0; i < len(row); i += 2 {
			pairs += hex.EncodeToString(row[i:min(i+2, len(row))]) + " "
		}
		out.WriteString(strings.TrimSuffix(fmt.Sprintf(format, at, pairs, text), "%!(EXTRA string="+text+")"))
	}
	return out.String()
}

func wide(s string, order binary.AppendByteOrder) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, unit)
	}
	return string(out)
}

func packed(s string, pack func(io.Writer) io.WriteCloser) string {
	var out bytes.Buffer
	w := pack(&out)
	fmt.Fprintf(w, "a file\nwith the key %s in it\n", s)
	if err := w.Close(); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// leftOf undoes what a reader can undo without knowing how a token was hidden, and
// returns eight characters in a row of it that are left.
func leftOf(out, token string) string {
	numbers := " " + strings.Join(strings.FieldsFunc(out, func(r rune) bool { return r < '0' || r > '9' }), " ") + " "
	plain := strings.NewReplacer("\n", "", "\r", "", "\x00", "", "\b", "", " ", "", ",", "", "0x", "", "|", "").Replace(out)
	for i := 4; i+8 <= len(token); i++ {
		piece := token[i : i+8]
		digits := hex.EncodeToString([]byte(piece))
		list := fmt.Sprint([]byte(piece))
		if strings.Contains(plain, piece) || strings.Contains(strings.ToLower(plain), digits) || strings.Contains(numbers, " "+list[1:len(list)-1]+" ") {
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

// TestHidden wants tokens found that are written in digits, packed, torn apart or
// glued to something.
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

// TestSplitTokens wants a token found that is split over two blocks with something between.
func TestSplitTokens(t *testing.T) {
	r := newRedactor(t, redact.Options{})
	between := map[string]string{
		"nothing":   ``,
		"image":     `{"type":"image","mimeType":"image/png","data":"iVBORw0KGgoAAAANSUhEUgAA"},`,
		"thinking":  `{"type":"thinking","thinking":"hm \"so\"","thinkingSignature":"c2ln"},`,
		"call":      `{"type":"toolCall","id":"toolu_1","name":"bash","arguments":{"command":"ls"}},`,
		"text":      `{"type":"text","text":""},`,
		"long text": "",
	}
	for name, other := range between {
		found := 0
		for _, token := range hiddenTokens(t) {
			first, second := token[:len(token)/2], token[len(token)/2:]
			before := "use "
			if name == "long text" {
				before = strings.Repeat(`some \"words\" `, 1000)
			}
			line := `{"type":"message","message":{"content":[{"type":"text","text":"` + before + first + `"},` + other + `{"type":"text","text":"` + second + ` now"}]}}`
			out, findings := r.Line([]byte(line))
			checkLine(t, []byte(line), out, findings)
			if strings.Contains(string(out), first+`"`) || strings.Contains(string(out), `"`+second) {
				t.Errorf("%s: Line = %.300q", name, out)
				continue
			}
			found++
		}
		t.Logf("%s between: %d of 30", name, found)
	}
}

// Compressed data that unpacks to gigabytes costs no more than what is read of it.
func TestBombs(t *testing.T) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	zeros := bytes.Repeat([]byte("spaces  "), 1<<17)
	for range 64 {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	bomb := base64.StdEncoding.EncodeToString(out.Bytes()) + " "
	r := newRedactor(t, redact.Options{})
	text := []byte(strings.Repeat(bomb, 3))
	r.Find(text)
	if n := testing.AllocsPerRun(1, func() { r.Find(text) }); n > 2000 {
		t.Errorf("three bombs of 64 MB allocate %v times", n)
	}
}
