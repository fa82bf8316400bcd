package summarize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A wish is a sentence that says how the work is to be done.
type wish struct {
	text   string
	strong bool // it demands or forbids; otherwise it may be a wish
}

// wishes are those of a request. The items of a list are mostly what is to be done,
// and not how; they count if they say more, or stand below a line that does.
func wishes(request string) []wish {
	var out []wish
	below := false // a line that announces conditions
	for s := range sentences(spoken(edges(request, 3000, 1000))) {
		n := utf8.RuneCountInString(s.text)
		if !s.item {
			below = announces(s.text)
		}
		if n > 320 || n < 12 && !(n >= 5 && wide(s.text)) || !isProse(s.text) || isQuestion(s.text) {
			continue
		}
		strong := demandWords.in(s.text)
		if strong || s.item && below || hintWords.in(s.text) || emphatic(s.text) {
			out = append(out, wish{oneLine(s.text, 240), strong})
		}
	}
	return out
}

// announces reports whether a line announces conditions, which then follow as a
// list.
func announces(line string) bool {
	if utf8.RuneCountInString(line) > 80 {
		return false
	}
	colon := strings.HasSuffix(strings.TrimRight(line, "*_ "), ":") || strings.HasSuffix(line, "：")
	return conditionWords.in(line) || colon && demandWords.in(line)
}

// emphatic reports whether a sentence is cried out, whatever its language: by its
// last sign or by a word in capitals among others that are not.
func emphatic(s string) bool {
	if strings.HasSuffix(s, "!") || strings.HasSuffix(s, "！") {
		return true
	}
	for word := range strings.FieldsSeq(s) {
		if len(word) >= 4 && strings.IndexFunc(word, func(r rune) bool { return !unicode.IsUpper(r) }) < 0 {
			return true
		}
	}
	return false
}
