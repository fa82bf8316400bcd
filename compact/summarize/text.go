package summarize

import (
	"cmp"
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// valid returns text as valid UTF-8: halves of surrogate pairs, which sessions
// can contain and models do not accept, become U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

func tokens(line string) int64 {
	return compact.ByScript.Tokens(&format.User{Content: format.TextContent(line)}) + 1
}

// length returns the length of a text in letters. East Asian characters count
// twice.
func length(s string) (n int) {
	for _, r := range s {
		n += letters(r)
	}
	return n
}

func letters(r rune) int {
	if r >= 0x2E80 {
		return 2
	}
	return 1
}

// oneLine returns text on one line, truncated to limit.
func oneLine(s string, limit int) string {
	s = s[:min(len(s), 8*limit)] // enough in any script
	return clip(strings.Join(strings.Fields(valid(s)), " "), limit)
}

// clip truncates text to limit. It cuts between words if possible, and marks
// the cut.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n, end, space := 0, 0, 0
	for i, r := range s {
		if n < limit {
			if end = i; unicode.IsSpace(r) && n > limit*2/3 {
				space = i
			}
		}
		if n += letters(r); n > limit {
			return strings.TrimRightFunc(s[:cmp.Or(space, end)], unicode.IsSpace) + "…"
		}
	}
	return s
}

// edges returns the start and the end of a long text. The middle is mostly
// pasted.
func edges(s string, head, tail int) string {
	if len(s) <= head+tail {
		return s
	}
	return strings.ToValidUTF8(s[:head], "") + "\n" + strings.ToValidUTF8(s[len(s)-tail:], "")
}

// sameness returns a key that is equal for texts that say the same.
func sameness(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// keep adds a text to a list and keeps only its first few and latest elements.
func keep(list []string, text string) []string {
	const first, most = 4, 16
	if text == "" || slices.Contains(list, text) {
		return list
	}
	if list = append(list, text); len(list) > most {
		list = slices.Delete(list, first, first+1)
	}
	return list
}

// uncoded returns a text without its Markdown code blocks. An unterminated
// block extends to the end.
func uncoded(text string) string {
	if !strings.Contains(text, fence) { // the usual case
		return text
	}
	var b strings.Builder
	coded := false
	for line := range strings.Lines(text) {
		switch isFence := strings.HasPrefix(strings.TrimLeft(line, " \t"), fence); {
		case isFence && coded && strings.HasSuffix(line, "\n"):
			b.WriteByte('\n')
			coded = false
		case isFence:
			coded = !coded
		case !coded:
			b.WriteString(line)
		}
	}
	return b.String()
}

const fence = "```"

// spoken returns the prose of a user message, without code and text that seems
// to be pasted, up to the next empty line. If nothing else is left, it returns
// the whole message.
func spoken(text string) string {
	value, skip := "", false
	for line := range strings.Lines(uncoded(text)) {
		bare := strings.TrimSpace(line)
		if skip = bare != "" && (skip || isPasted(bare)); !skip {
			value += line
		}
	}
	return cmp.Or(strings.TrimSpace(value), strings.TrimSpace(text))
}

// isPasted reports whether a line is not prose: it starts with a character
// typical of program output, or is long and less than two thirds letters.
func isPasted(line string) bool {
	letters, signs := 0, 0
	for i, r := range line {
		switch {
		case i == 0 && strings.ContainsRune("{[<$+|➜→│─━", r):
			return true
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
		case !unicode.IsSpace(r):
			signs++
		}
	}
	return letters <= 2*signs && len(line) > 60 || strings.HasPrefix(line, "at ")
}

// mark matches the Markdown mark at the start of a line. The group is a list
// mark.
var mark = regexp.MustCompile(`^[#> ]*((?:[-*+•] |・)(?:\[[ xX]\] )?|\d{1,3}[.)] )?\s*`)

// unmarked returns a line without its mark. item reports whether it is a list
// item.
func unmarked(line string) (_ string, item bool) {
	found := mark.FindStringSubmatchIndex(line)
	return line[found[1]:], found[2] >= 0
}

// proseLines yields the lines of a text that are neither code nor tables,
// without their marks, and whether each is a list item.
func proseLines(text string) iter.Seq2[string, bool] {
	return func(yield func(line string, item bool) bool) {
		for line := range strings.Lines(uncoded(text)) {
			line = strings.TrimSpace(line)
			if line == "" || line[0] == '|' || strings.Trim(line, "-=_*+─━ ") == "" {
				continue
			}
			if line[0] == '#' {
				line = "**" + strings.Trim(line, "#* ") + "**"
			}
			if value, item := unmarked(line); value != "" && !yield(value, item) {
				return
			}
		}
	}
}

func sentences(text string) (out []string) {
	for line := range proseLines(text) {
		for line != "" {
			end := sentenceEnd(line)
			out = append(out, strings.TrimSpace(line[:end]))
			line = line[end:]
		}
	}
	return out
}

// sentenceEnd returns the end of the first sentence of a line. A period ends
// one only before white space, because file names contain periods too.
func sentenceEnd(line string) int {
	ended := false
	for i, r := range line {
		if ended && unicode.IsSpace(r) {
			return i
		}
		switch r {
		case '。', '！', '？', '।', '۔':
			return i + utf8.RuneLen(r)
		case '.', '!', '?', '؟', '…':
			ended = true
		default:
			ended = false
		}
	}
	return len(line)
}

// lastQuestion returns the question near the end of a text, or "".
func lastQuestion(text string) string {
	lines := sentences(text)
	for _, s := range slices.Backward(lines[max(0, len(lines)-4):]) {
		if isQuestion(s) {
			return s
		}
	}
	return ""
}

func isQuestion(s string) bool {
	s = strings.TrimRight(s, " )\"'*_`」』）")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟") || strings.HasSuffix(s, "か。")
}

// prose returns a text on one line, truncated to limit, without code, headings
// and a first sentence that says nothing, such as Done.
func prose(text string, limit int) string {
	value, listed, heading := "", false, ""
	for line, item := range proseLines(edges(text, 16*limit, 0)) {
		if !item && strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**") {
			heading = line
			continue
		}
		if item && listed {
			value += ";"
		}
		value += " " + line
		listed = item
	}
	value = strings.ReplaceAll(oneLine(cmp.Or(value, heading), 8*limit), "**", "")
	if end := sentenceEnd(value); end < len(value) && length(value[:end]) <= 14 {
		value = strings.TrimSpace(value[end:])
	}
	return clip(value, limit)
}

// answerText returns the text of a response: each text block starts a line.
func answerText(c format.Content) string {
	texts := []string{c.Text}
	for _, b := range c.Blocks {
		if t, ok := b.(*format.TextBlock); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.TrimPrefix(strings.Join(texts, "\n"), "\n")
}
