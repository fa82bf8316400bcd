package summarize

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A sentence is a piece of prose.
type sentence struct {
	text string
	item bool // it stands in a list, or begins a line of one
}

// fence begins and ends code in Markdown.
const fence = "```"

// proseLines yields the lines of a text that are not code, without the marks of
// lists, headings and quotations.
func proseLines(text string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		inCode := false
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, fence) {
				inCode = !inCode
				continue
			}
			if inCode || line == "" || isTable(line) {
				continue
			}
			said, item := unmarked(line)
			if said != "" && !yield(said, item) {
				return
			}
		}
	}
}

func isTable(line string) bool { return line[0] == '|' || strings.Trim(line, "-=_*+─━ ") == "" }

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

// sentences yields the sentences of a text, in any script.
func sentences(text string) iter.Seq[sentence] {
	return func(yield func(sentence) bool) {
		for line, item := range proseLines(text) {
			for line != "" {
				end := sentenceEnd(line)
				if said := strings.TrimSpace(line[:end]); said != "" && !yield(sentence{said, item}) {
					return
				}
				line = line[end:]
			}
		}
	}
}

// sentenceEnd is where the first sentence of a line ends. A full stop ends one
// only before white space, because it stands in names of files too.
func sentenceEnd(line string) int {
	for i, r := range line {
		size := utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '｡', '।', '॥', '۔', '။', '።':
			return i + size
		case '.', '!', '?', '؟', '…', ';':
			if next, _ := utf8.DecodeRuneInString(line[i+size:]); unicode.IsSpace(next) && i > 1 {
				return i + size
			}
		}
	}
	return len(line)
}

// isQuestion reports whether a sentence asks something.
func isQuestion(s string) bool {
	s = strings.TrimRight(s, " )\"'*_`」』）")
	for _, end := range []string{"?", "？", "؟", "ですか。", "ますか。", "吗。", "까."} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// isProse reports whether most of a text are letters, as in a sentence, and not
// signs and digits, as in a log.
func isProse(s string) bool {
	letters, others := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsLetter(r) || unicode.IsMark(r):
			letters++
		case !unicode.IsSpace(r):
			others++
		}
	}
	return letters > 2*others && !beginsWith(s, "{[<$➜") && !strings.HasPrefix(s, "at ")
}

// beginsWith reports whether a text begins with one of these characters.
func beginsWith(s, characters string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune(characters, first)
}

// prose is a text on one line, without the marks of Markdown, at most limit
// characters. Headings, long code and a first sentence that says nothing are left
// out.
func prose(text string, limit int) string {
	said := flat(text, limit, true)
	if said == "" {
		said = flat(text, limit, false)
	}
	if end := sentenceEnd(said); end < len(said) && utf8.RuneCountInString(said[:end]) <= 14 {
		said = strings.TrimSpace(said[end:])
	}
	return clip(said, limit)
}

// flat joins the lines of a text.
func flat(text string, limit int, skipHeadings bool) string {
	var b strings.Builder
	listed := false
	for line := range strings.Lines(withInlineCode(edges(text, 16*limit, 0))) {
		line = strings.TrimSpace(line)
		if line == "" || isTable(line) || skipHeadings && isHeading(line) {
			continue
		}
		said, item := unmarked(line)
		if b.Len() > 0 {
			if item && listed {
				b.WriteByte(';')
			}
			b.WriteByte(' ')
		}
		b.WriteString(said)
		listed = item
		if b.Len() > 8*limit {
			break
		}
	}
	return strings.ReplaceAll(oneLine(b.String(), 8*limit), "**", "")
}

// isHeading reports whether a line is a heading, also one that is only bold.
func isHeading(line string) bool {
	return line[0] == '#' || strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimSuffix(line, ":"), "**")
}

// withInlineCode is a text whose blocks of code became part of a line where they
// are short, and are gone where they are long.
func withInlineCode(text string) string {
	if !strings.Contains(text, fence) {
		return text
	}
	var out strings.Builder
	var code []string
	inCode := false
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(bare, fence):
			if joined := strings.Join(code, "; "); inCode && joined != "" && len(code) <= 4 && len(joined) <= 200 {
				out.WriteString("`" + joined + "`\n")
			}
			inCode, code = !inCode, nil
		case !inCode:
			out.WriteString(line)
		case bare != "":
			code = append(code, bare)
		}
	}
	return out.String()
}

// spoken is what a person wrote in a message, without what seems to be pasted:
// logs, traces, changes of files, prompts of a shell. A message that is all of
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
		return text
	}
	return out.String()
}

func isPasted(line string) bool {
	if beginsWith(line, "{[<$+|➜⠇→│─━") || strings.HasPrefix(line, "at ") {
		return true
	}
	digits := strings.TrimLeft(line, "0123456789")
	numbered := len(digits) < len(line) && (strings.HasPrefix(digits, " - ") || strings.HasPrefix(digits, " + ") || strings.HasPrefix(digits, "  "))
	return numbered || !isProse(line) && len(line) > 60
}
