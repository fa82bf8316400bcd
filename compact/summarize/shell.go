package summarize

import (
	"path"
	"strings"
)

// lookers are programs that only look around. Their failure is an answer, such as
// "not found", and not a problem.
var lookers = func() map[string]bool {
	m := map[string]bool{}
	for name := range strings.FieldsSeq(`cd ls cat grep egrep rg ag find fd head tail sed awk wc echo pwd which type whereis sleep true false export mkdir test [
		printf tree jq yq diff sort uniq stat file du df cut tr touch cp mv rm ln chmod less more date env set unset source . xxd hexdump od ps kill pkill
		command for while if do done then else fi dir ps lsof open code clear history whoami uname basename dirname realpath readlink`) {
		m[name] = true
	}
	return m
}()

// gitLookers are the commands of git that change no history.
var gitLookers = map[string]bool{
	"status": true, "diff": true, "log": true, "show": true, "branch": true, "add": true, "rev-parse": true, "ls-files": true, "remote": true, "blame": true, "grep": true,
}

// maxLine is how much of a shell line is looked at. Longer ones hold a program.
const maxLine = 4000

// segments are the commands of a shell line, without the programs that only look
// around, and without what is done with their output: "cd x && npm test 2>&1 | tail"
// is "npm test".
func segments(line string) []string {
	line, _, _ = strings.Cut(line[:min(len(line), maxLine)], "<<") // what follows is a text
	var out []string
	for _, piece := range splitShell(line) {
		words := strings.Fields(piece)
		for len(words) > 0 && (words[0] == "sudo" || words[0] == "time" || words[0] == "timeout" || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
		words = withoutRedirection(words)
		if len(words) == 0 || lookers[path.Base(words[0])] || words[0] == "git" && len(words) > 1 && gitLookers[words[1]] {
			continue
		}
		out = append(out, strings.Join(words, " "))
	}
	return out
}

// splitShell cuts a line at the signs between commands, and leaves out what
// stands behind a pipe.
func splitShell(line string) []string {
	var out []string
	var quote byte
	start, piped := 0, -1
	end := func(i int) {
		stop := i
		if piped >= 0 {
			stop = piped
		}
		out = append(out, line[start:stop])
		piped = -1
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == '\\':
			i++
		case c == ';' || c == '\n':
			end(i)
			start = i + 1
		case (c == '&' || c == '|') && i+1 < len(line) && line[i+1] == c:
			end(i)
			i++
			start = i + 1
		case c == '|' && piped < 0:
			piped = i
		}
	}
	end(len(line))
	return out
}

func withoutRedirection(words []string) []string {
	var out []string
	for i := 0; i < len(words); i++ {
		w := strings.TrimLeft(words[i], "012&")
		if rest, ok := strings.CutPrefix(w, ">"); ok {
			if strings.TrimLeft(rest, ">") == "" {
				i++ // the name of the file is a word of its own
			}
			continue
		}
		out = append(out, words[i])
	}
	return out
}

// commitMessage is the first line of the message of a git commit; "" when the
// command makes none.
func commitMessage(line string) string {
	_, rest, ok := strings.Cut(line, "git commit")
	if !ok {
		return ""
	}
	at := strings.Index(rest, "m ")
	if at < 0 {
		return ""
	}
	rest = strings.TrimSpace(rest[at+2:])
	if rest == "" {
		return ""
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		rest, _, _ = strings.Cut(rest[1:], string(quote))
	} else {
		rest, _, _ = strings.Cut(rest, " ")
	}
	first, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	if strings.HasPrefix(first, "$(") { // a command writes it
		return ""
	}
	return oneLine(first, 120)
}
