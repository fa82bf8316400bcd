package edits

import (
	"strconv"
	"strings"
)

// unified reads the hunks of a unified diff of one file.
func unified(diff string) []Hunk {
	var out []Hunk
	var h *Hunk
	for line := range strings.SplitSeq(strings.TrimSuffix(diff, "\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		if rest, ok := strings.CutPrefix(line, "@@ -"); ok {
			start, _, _ := strings.Cut(rest, " ")
			start, _, _ = strings.Cut(start, ",")
			n, err := strconv.Atoi(start)
			if err != nil {
				return nil
			}
			out = append(out, Hunk{Line: n})
			h = &out[len(out)-1]
			continue
		}
		if h == nil || strings.HasPrefix(line, `\`) {
			continue
		}
		if !h.add(line) {
			h = nil
		}
	}
	return out
}

// add takes a line of a hunk: a sign, then the text. It reports false for anything else.
func (h *Hunk) add(line string) bool {
	if line == "" { // some programs drop the sign of an empty context line
		h.Old, h.New = append(h.Old, ""), append(h.New, "")
		return true
	}
	switch text := line[1:]; line[0] {
	case ' ':
		h.Old, h.New = append(h.Old, text), append(h.New, text)
	case '-':
		h.Old = append(h.Old, text)
	case '+':
		h.New = append(h.New, text)
	default:
		return false
	}
	return true
}

// numbered reads the diff that pi shows: a sign, a line number, a space or a bar, and
// the text. Runs that are left out are "...".
func numbered(diff string) []Hunk {
	var out []Hunk
	var h *Hunk
	for line := range strings.SplitSeq(diff, "\n") {
		if line == "" {
			continue
		}
		rest := strings.TrimLeft(line[1:], " ")
		end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if end <= 0 || rest[end] != ' ' && rest[end] != '|' {
			h = nil // "..."
			continue
		}
		n, err := strconv.Atoi(rest[:end])
		if err != nil {
			return nil
		}
		if h == nil {
			if line[0] == '+' {
				n = 0 // numbers of added lines count in the new file
			}
			out = append(out, Hunk{Line: n})
			h = &out[len(out)-1]
		}
		if !h.add(line[:1] + rest[end+1:]) {
			return nil
		}
	}
	return out
}

// patched reads the format of apply_patch, which names the files itself.
func patched(text string) []Change {
	var out []Change
	var c *Change
	var h *Hunk
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		verb, path, isHeader := strings.Cut(line, ": ")
		if isHeader && strings.HasPrefix(verb, "*** ") {
			switch verb {
			case "*** Add File":
				out = append(out, Change{Kind: Write, Path: path, New: true})
			case "*** Delete File":
				out = append(out, Change{Kind: Remove, Path: path})
			case "*** Update File":
				out = append(out, Change{Kind: Replace, Path: path})
			case "*** Move to":
				if c != nil && c.Kind == Replace {
					c.To = path
				}
				continue
			}
			if len(out) > 0 {
				c, h = &out[len(out)-1], nil
			}
			continue
		}
		switch {
		case c == nil || strings.HasPrefix(line, "*** "):
			h = nil
		case c.Kind == Write:
			if added, ok := strings.CutPrefix(line, "+"); ok {
				c.Content += added + "\n"
			}
		case c.Kind == Replace && strings.HasPrefix(line, "@@"):
			c.Hunks = append(c.Hunks, Hunk{})
			h = &c.Hunks[len(c.Hunks)-1]
		case c.Kind == Replace:
			if h == nil {
				c.Hunks = append(c.Hunks, Hunk{})
				h = &c.Hunks[len(c.Hunks)-1]
			}
			h.add(line)
		}
	}
	return withMoves(out)
}

// withMoves makes a move of its own of each change that also renames.
func withMoves(list []Change) []Change {
	var out []Change
	for _, c := range list {
		to := c.To
		if c.Kind != Move {
			c.To = ""
		}
		if c.Kind != Replace || len(c.Swaps)+len(c.Hunks) > 0 || c.HasBefore || to == "" {
			out = append(out, c)
		}
		if c.Kind != Move && to != "" && to != c.Path {
			out = append(out, Change{Kind: Move, Path: c.Path, To: to})
		}
	}
	return out
}

// moves returns the renames in the shell command of a call: mv and git mv with one
// source. A command that a glance does not explain moves nothing.
func moves(args []byte) []Change {
	line, words := command(args)
	if len(words) > 0 {
		line = "'" + strings.Join(words, "' '") + "'"
	}
	if !strings.Contains(line, "mv") {
		return nil
	}
	var out []Change
	for _, words := range simpleCommands(line) {
		if len(words) > 0 && words[0] == "git" {
			words = words[1:]
		}
		if len(words) < 3 || words[0] != "mv" {
			continue
		}
		var names []string
		plain := true
		for _, w := range words[1:] {
			if strings.HasPrefix(w, "-") {
				plain = plain && strings.Trim(w, "-fvn") == "" && w != "-"
				continue
			}
			plain = plain && !strings.ContainsAny(w, "*?[]{}$`~<>()")
			names = append(names, w)
		}
		if plain && len(names) == 2 {
			out = append(out, Change{Kind: Move, Path: names[0], To: names[1]})
		}
	}
	return out
}

// simpleCommands splits a command line into commands and these into words. Quotes are
// removed.
func simpleCommands(command string) [][]string {
	var out [][]string
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	endCommand := func() {
		endWord()
		out, words = append(out, words), nil
	}
	for _, r := range command {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t':
			endWord()
		case r == '\n' || r == ';' || r == '&' || r == '|':
			endCommand()
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil
	}
	endCommand()
	return out
}
