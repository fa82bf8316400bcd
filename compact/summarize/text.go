package summarize

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/internal/lazyregexp"
)

// valid is text as UTF-8: halves of surrogate pairs, which sessions can hold and
// models do not take, become U+FFFD.
func valid(s string) string {
	if utf8.ValidString(s) { // which is quicker to see
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// tokens is how many tokens a line takes.
func tokens(line string) int64 {
	return compact.ByScript.Tokens(&format.User{Content: format.TextContent(line)}) + 1
}

// length is how much a text says, in letters. Signs of East Asian scripts count
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

// oneLine is text on one line, of at most this length.
func oneLine(s string, limit int) string {
	s = s[:min(len(s), 8*limit)] // enough of it, whatever the script and the spaces
	return clip(strings.Join(strings.Fields(valid(s)), " "), limit)
}

// clip is text of at most this length. A cut falls between words where there are
// words, and is marked.
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

// edges is the beginning and the end of a long text. What lies between is mostly
// pasted.
func edges(s string, head, tail int) string {
	if len(s) <= head+tail {
		return s
	}
	return strings.ToValidUTF8(s[:head], "") + "\n" + strings.ToValidUTF8(s[len(s)-tail:], "")
}

// sameness is what two texts that say the same have in common.
func sameness(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// keep adds a text to a list of which the first few and the latest stay.
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

// uncoded is a text without its blocks of code in Markdown. One that does not end
// goes to the end of the text.
func uncoded(text string) string {
	if !strings.Contains(text, fence) { // most have none
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

// spoken is what a person wrote in a message, without code and what seems to be
// pasted, up to the next empty line. A message that is all of that is returned as
// it is.
func spoken(text string) string {
	said, skip := "", false
	for line := range strings.Lines(uncoded(text)) {
		bare := strings.TrimSpace(line)
		if skip = bare != "" && (skip || isPasted(bare)); !skip {
			said += line
		}
	}
	return cmp.Or(strings.TrimSpace(said), strings.TrimSpace(text))
}

// isPasted reports whether a line is no prose: it begins with a sign that programs
// write, or is long and less than two thirds letters.
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

// mark is the sign that begins a line in Markdown. The group is that of a list.
var mark = lazyregexp.New(`^[#> ]*((?:[-*+•] |・)(?:\[[ xX]\] )?|\d{1,3}[.)] )?\s*`)

// unmarked is a line without its mark.
func unmarked(line string) (_ string, item bool) {
	found := mark().FindStringSubmatchIndex(line)
	return line[found[1]:], found[2] >= 0
}

// proseLines yields the lines of a text that are neither code nor tables, without
// their marks, and tells whether each stands in a list.
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
			if said, item := unmarked(line); said != "" && !yield(said, item) {
				return
			}
		}
	}
}

// sentences are those of a text, in any script.
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

// sentenceEnd is where the first sentence of a line ends. A full stop ends one only
// before white space, because it stands in names of files too.
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

// lastQuestion is the question that a text ends with, or nearly; "" when it does
// not.
func lastQuestion(text string) string {
	said := sentences(text)
	for _, s := range slices.Backward(said[max(0, len(said)-4):]) {
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

// prose is a text on one line, of at most this length, without code, headings and a
// first sentence that says nothing, such as Done.
func prose(text string, limit int) string {
	said, listed, heading := "", false, ""
	for line, item := range proseLines(edges(text, 16*limit, 0)) {
		if !item && strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**") {
			heading = line
			continue
		}
		if item && listed {
			said += ";"
		}
		said += " " + line
		listed = item
	}
	said = strings.ReplaceAll(oneLine(cmp.Or(said, heading), 8*limit), "**", "")
	if end := sentenceEnd(said); end < len(said) && length(said[:end]) <= 14 {
		said = strings.TrimSpace(said[end:])
	}
	return clip(said, limit)
}

// answerText is what an answer says: each of its texts begins a line.
func answerText(c format.Content) string {
	texts := []string{c.Text}
	for _, b := range c.Blocks {
		if t, ok := b.(*format.TextBlock); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.TrimPrefix(strings.Join(texts, "\n"), "\n")
}
