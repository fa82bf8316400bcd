package summarize

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/format"
)

// valid is text as UTF-8: halves of surrogate pairs, which sessions can hold and
// models do not take, become U+FFFD.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// tokens is how many tokens a line takes.
func tokens(line string) int64 {
	return compact.ByScript.Tokens(&format.User{Content: format.TextContent(line)}) + 1
}

// oneLine is text on one line, at most limit characters of it. A cut falls
// between words where there are words, and is marked.
func oneLine(s string, limit int) string {
	if len(s) > 8*limit { // enough of it, whatever the script and the spaces
		s = s[:8*limit]
	}
	return clip(strings.Join(strings.Fields(valid(s)), " "), limit)
}

// clip is text of at most limit characters.
func clip(s string, limit int) string {
	if len(s) <= limit || utf8.RuneCountInString(s) <= limit {
		return s
	}
	end, space, n := 0, 0, 0
	for i, r := range s {
		if n == limit-1 {
			end = i
			break
		}
		if unicode.IsSpace(r) && n > limit*2/3 {
			space = i
		}
		n++
	}
	if space > 0 {
		end = space
	}
	return strings.TrimRightFunc(s[:end], unicode.IsSpace) + "…"
}

// edges is the beginning and the end of a long text. What lies between is mostly
// pasted.
func edges(s string, head, tail int) string {
	if len(s) <= head+tail {
		return s
	}
	return strings.ToValidUTF8(s[:head], "") + "\n" + strings.ToValidUTF8(s[len(s)-tail:], "")
}

// sameness is what two texts that say the same have in common: letters and
// digits, in lower case.
func sameness(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// wide reports whether a text is in a script that says much in few characters.
func wide(s string) bool {
	n := 0
	for _, r := range s {
		if r >= 0x2E80 {
			n++
		}
	}
	return n >= 6
}

// fence begins and ends code in Markdown.
const fence = "```"

// proseLines yields the lines of a text that are neither code nor tables, without
// the marks of lists and quotations. Headings are bold. item tells that a line
// stands in a list.
func proseLines(text string) iter.Seq2[string, bool] {
	return func(yield func(line string, item bool) bool) {
		inCode := false
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, fence) {
				inCode = !inCode
				continue
			}
			if inCode || line == "" || line[0] == '|' || strings.Trim(line, "-=_*+─━ ") == "" {
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

// unmarked is a line without the sign that begins it in Markdown.
func unmarked(line string) (_ string, item bool) {
	line = strings.TrimLeft(line, "#> ")
	for _, mark := range []string{"- [ ] ", "- [x] ", "- [X] ", "- ", "* ", "+ ", "• ", "・"} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return strings.TrimSpace(rest), true
		}
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && digits < 4 && digits+1 < len(line) && (line[digits] == '.' || line[digits] == ')') && line[digits+1] == ' ' {
		return strings.TrimSpace(line[digits+1:]), true
	}
	return line, false
}

// sentences yields the sentences of a text, in any script. A full stop ends one
// only before white space, because it stands in names of files too.
func sentences(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for line := range proseLines(text) {
			for line != "" {
				end := sentenceEnd(line)
				if said := strings.TrimSpace(line[:end]); said != "" && !yield(said) {
					return
				}
				line = line[end:]
			}
		}
	}
}

func sentenceEnd(line string) int {
	for i, r := range line {
		size := utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '।', '۔':
			return i + size
		case '.', '!', '?', '؟', '…':
			if next, _ := utf8.DecodeRuneInString(line[i+size:]); unicode.IsSpace(next) && i > 1 {
				return i + size
			}
		}
	}
	return len(line)
}

// lastQuestion is the question that a text ends with, or nearly; "" when it does
// not.
func lastQuestion(text string) string {
	question, since := "", 0
	for s := range sentences(text) {
		since++
		if isQuestion(s) {
			question, since = s, 0
		}
	}
	if since > 3 {
		return ""
	}
	return question
}

func isQuestion(s string) bool {
	s = strings.TrimRight(s, " )\"'*_`」』）")
	return strings.HasSuffix(s, "?") || strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟") || strings.HasSuffix(s, "か。")
}

// prose is a text on one line, at most limit characters, without code, headings
// and a first sentence that says nothing, such as Done.
func prose(text string, limit int) string {
	var b strings.Builder
	listed, heading := false, ""
	for line, item := range proseLines(edges(text, 16*limit, 0)) {
		if bold := strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**"); bold && !item {
			heading = line
			continue
		}
		if item && listed {
			b.WriteByte(';')
		}
		b.WriteString(" " + line)
		if listed = item; b.Len() > 8*limit {
			break
		}
	}
	if b.Len() == 0 {
		b.WriteString(heading)
	}
	said := strings.ReplaceAll(oneLine(b.String(), 8*limit), "**", "")
	if end := sentenceEnd(said); end < len(said) && utf8.RuneCountInString(said[:end]) <= 14 {
		said = strings.TrimSpace(said[end:])
	}
	return clip(said, limit)
}

// spoken is what a person wrote in a message, without blocks of code and without
// what seems to be pasted: logs, traces, changes of files. A message that is all of
// that is returned as it is.
func spoken(text string) string {
	var out strings.Builder
	inCode, pasted := false, false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		if strings.HasPrefix(bare, fence) {
			inCode = !inCode
			continue
		}
		pasted = bare != "" && (pasted || isPasted(bare)) // up to the next empty line
		if !inCode && !pasted {
			out.WriteString(line)
		}
	}
	if strings.TrimSpace(out.String()) == "" {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(out.String())
}

// isPasted reports whether a line is no prose: it begins with a sign that programs
// write, or is long and less than two thirds letters.
func isPasted(line string) bool {
	first, _ := utf8.DecodeRuneInString(line)
	if strings.ContainsRune("{[<$+|➜→│─━", first) || strings.HasPrefix(line, "at ") {
		return true
	}
	letters, others := 0, 0
	for _, r := range line {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
		case !unicode.IsSpace(r):
			others++
		}
	}
	return letters <= 2*others && len(line) > 60
}

// answerText is what an answer says: each of its texts begins a line.
func answerText(c format.Content) string {
	if c.IsText {
		return c.Text
	}
	var texts []string
	for _, b := range c.Blocks {
		if t, ok := b.(*format.TextBlock); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// A bounded list keeps the first and the last of many texts, each once.
type bounded struct {
	first, last int // how many of each
	head, tail  []string
	seen        map[string]bool
}

func (b *bounded) add(s string) {
	key := sameness(s)
	if key == "" || b.seen[key] {
		return
	}
	if b.seen == nil {
		b.seen = map[string]bool{}
	}
	b.seen[key] = true
	if len(b.head) < b.first && len(b.tail) == 0 {
		b.head = append(b.head, s)
		return
	}
	b.tail = append(b.tail, s)
	if len(b.tail) > b.last {
		delete(b.seen, sameness(b.tail[0]))
		b.tail = append(b.tail[:0], b.tail[1:]...)
	}
}

func (b *bounded) all() []string { return append(b.head[:len(b.head):len(b.head)], b.tail...) }
