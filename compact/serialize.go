package compact

import (
	"iter"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/inspect"
	"github.com/pith-sessions/pith/internal/jsonl"
	"github.com/pith-sessions/pith/internal/tokens"
)

// maxResultUnits is how much of a tool result a summarizer reads, in UTF-16
// units. Results are most of a conversation and matter least.
const maxResultUnits = 2000

// Serialize returns a conversation as the text that a summarizer reads. It
// converts messages with [pith.ForModel] first. It omits images and thinking,
// truncates long tool results and writes each call on one line; nothing else is
// shortened. The text is valid UTF-8: half of a surrogate pair becomes U+FFFD.
func Serialize(messages iter.Seq2[pith.ContextMessage, error]) (string, error) {
	var out []byte
	for m, err := range messages {
		if err != nil {
			return "", err
		}
		out = appendMessage(out, m)
	}
	return string(out), nil
}

// partGap separates the parts of a conversation.
const partGap = "\n\n"

// appendMessage appends the parts of one message, separated by gaps: of a
// response the text, then the tool calls, whatever the order of the blocks.
func appendMessage(out []byte, m pith.ContextMessage) []byte {
	m, ok := pith.ForModel(m)
	if !ok {
		return out
	}
	var s inspect.Speech
	s.ReadMessage(m.Raw)
	var said, calls []string
	for p := range s.Passages() {
		switch {
		case p.Inner:
		case p.Part == inspect.PartText, p.Part == inspect.PartResult:
			said = append(said, p.Text)
		case p.Part == inspect.PartCall:
			calls = append(calls, callText(p.Tool, p.Arguments))
		}
	}
	text := strings.Join(said, "")
	switch s.Role {
	case format.RoleUser:
		if text != "" {
			out = appendPart(out, "[User]: ", text)
		}
	case format.RoleToolResult:
		if text != "" {
			out = appendPart(out, "[Tool result]: ", shortened(text))
		}
	case format.RoleAssistant:
		if len(said) > 0 {
			out = appendPart(out, "[Assistant]: ", strings.Join(said, "\n"))
		}
		if len(calls) > 0 {
			out = appendPart(out, "[Assistant tool calls]: ", strings.Join(calls, "; "))
		}
	}
	return out
}

func appendPart(out []byte, label, text string) []byte {
	if len(out) > 0 {
		out = append(out, partGap...)
	}
	return append(append(out, label...), validText(text)...)
}

// callText returns a call on one line: name(key=value, key=value).
func callText(tool string, arguments []byte) string {
	out := append([]byte(tool), '(')
	for i, p := range properties(arguments) {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(append(out, p.name...), '=')
		out = appendCanonical(out, p.value, 0)
	}
	return string(append(out, ')'))
}

// shortened returns the start of a result and notes how much is missing. A
// surrogate pair at the cut is left out.
func shortened(text string) string {
	if len(text) <= maxResultUnits { // no text has more units than bytes
		return text
	}
	all := tokens.Units([]byte(text))
	if all <= maxResultUnits {
		return text
	}
	left, end := maxResultUnits, 0
	for left > 0 {
		_, size := utf8.DecodeRuneInString(text[end:])
		if size == 1 && text[end] == 0xED && end+3 <= len(text) {
			size = 3 // half of a surrogate pair
		}
		if size == 4 && left == 1 {
			break
		}
		left -= 1 + size/4
		end += size
	}
	return text[:end] + "\n\n[... " + strconv.FormatInt(all-maxResultUnits, 10) + " more characters truncated]"
}

func validText(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 && s[i] == 0xED && i+3 <= len(s) {
			size = 3 // half of a surrogate pair
		}
		out.WriteRune(r)
		i += size
	}
	return out.String()
}

// text returns the value of a JSON string, or "" if raw is missing or of
// another type.
func text(raw []byte) string {
	s, _ := jsonl.String(raw)
	return s
}
