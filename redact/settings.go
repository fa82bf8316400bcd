package redact

import (
	"encoding/binary"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// This file reads secret files. Their formats differ in details (.env alone has
// a dozen dialects), so each line is parsed separately, and none is rejected
// because of another: an extra value costs little, a rejected file everything.

// tokenFiles contain exactly one value.
var tokenFiles = []string{".vault-token", "token", "master.key"}

func settingsIn(dir string) (files []string, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	const most = 100_000 // entries
	names, err := f.Readdirnames(most)
	if len(names) == 0 {
		return nil, nil
	}
	slices.Sort(names)
	for _, name := range names {
		if isSettings(name) {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); err != nil || !info.IsDir() {
				files = append(files, file)
			}
		}
	}
	if key := filepath.Join(dir, "config", "master.key"); slices.Contains(names, "config") {
		if _, err := os.Lstat(key); err == nil {
			files = append(files, key)
		}
	}
	return files, err
}

func isSettings(name string) bool {
	for _, word := range []string{"example", "sample", "template", "dist", "schema"} {
		if strings.Contains(name, word) {
			return false
		}
	}
	switch name {
	case ".envrc", ".dev.vars", ".flaskenv", ".netrc", ".pgpass", ".npmrc", ".yarnrc.yml", ".pypirc", ".git-credentials", ".vault-token", "terraform.tfvars", "secrets.toml":
		return true
	}
	return name == ".env" || strings.HasPrefix(name, ".env.") || strings.HasPrefix(name, ".env-") || strings.HasPrefix(name, ".env_") ||
		strings.HasPrefix(name, ".dev.vars.") || strings.HasSuffix(name, ".env") || strings.HasSuffix(name, ".auto.tfvars")
}

// plainText returns the text of a file in UTF-8 or UTF-16, with or without a
// byte order mark.
func plainText(b []byte) string {
	var order binary.ByteOrder
	switch {
	case len(b) < 2:
		return string(b)
	case b[0] == 0xff && b[1] == 0xfe || b[0] != 0 && b[1] == 0:
		order = binary.LittleEndian
	case b[0] == 0xfe && b[1] == 0xff || b[0] == 0 && b[1] != 0:
		order = binary.BigEndian
	default:
		return strings.TrimPrefix(string(b), "\ufeff")
	}
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
}

// settings yields the names and values of a file: NAME=value, name: value,
// <name>value</name>, "password value" of .netrc, and lines that are a URL,
// which have no name. A quoted value may span lines; if it has escapes, it is
// yielded both with and without them.
func settings(text string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for len(text) > 0 {
			line, rest, _ := strings.Cut(text, "\n")
			after := rest
			line = strings.TrimSpace(line)
			for _, word := range []string{"export ", "set ", "ENV ", "- "} {
				line = strings.TrimSpace(strings.TrimPrefix(line, word))
			}
			name, value, ok := assignmentOn(line)
			if ok && value != "" && strings.IndexByte("\"'`", value[0]) >= 0 {
				from := text[strings.Index(text, value):] // the value and the rest of the text
				if end := closingQuote(from); end > 0 {
					raw := from[1:end]
					if after = from[end+1:]; strings.Contains(raw, "\n") {
						_, after, _ = strings.Cut(after, "\n")
					} else {
						after = rest
					}
					value = raw
					if plain, has := unescaped(raw, from[0]); has && !yield(name, plain) {
						return
					}
				}
			} else if ok {
				value, _, _ = strings.Cut(value, " #")
				value, _, _ = strings.Cut(value, "\t#")
			}
			if ok && !yield(name, strings.TrimSpace(value)) {
				return
			}
			words := strings.Fields(line)
			for i := 0; !ok && i+1 < len(words); i++ { // .netrc
				if strings.EqualFold(words[i], "password") && !yield(words[i], words[i+1]) {
					return
				}
			}
			text = after
		}
	}
}

// assignmentOn splits a line into name and value.
func assignmentOn(line string) (name, value string, ok bool) {
	if line == "" || line[0] == '#' || line[0] == ';' {
		return "", "", false
	}
	if line[0] == '<' {
		name, value, ok = strings.Cut(line[1:], ">")
		value, _, _ = strings.Cut(value, "</")
		return name, value, ok
	}
	equals, colon, address := strings.IndexByte(line, '='), strings.Index(line, ": "), strings.Index(line, "://")
	at := equals
	if colon >= 0 && (equals < 0 || colon < equals) {
		at = colon
	}
	if address >= 0 && (at < 0 || address < at) {
		return "", line, true
	}
	if at < 0 {
		return "", "", false
	}
	return strings.Trim(line[:at], " \t\"':"), strings.TrimSpace(line[at+1:]), true
}

// closingQuote returns the index of the closing quote of s, or 0.
func closingQuote(s string) int {
	const longest = 64 << 10
	for i := 1; i < min(len(s), longest); i++ {
		if s[i] == '\\' && s[0] == '"' {
			i++
		} else if s[i] == s[0] {
			return i
		}
	}
	return 0
}

// unescaped returns a value without escapes, and whether it has any.
func unescaped(raw string, quote byte) (string, bool) {
	if quote != '"' || !strings.Contains(raw, `\`) {
		return raw, false
	}
	if plain, err := strconv.Unquote(`"` + strings.ReplaceAll(raw, "\n", `\n`) + `"`); err == nil {
		return plain, true
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`", `\n`, "\n").Replace(raw), true
}

// pgpass yields the passwords of lines host:port:database:user:password.
func pgpass(text string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for line := range strings.Lines(text) {
			line = strings.NewReplacer(`\:`, "\x00", `\\`, `\`).Replace(strings.TrimSpace(line))
			fields := strings.SplitN(line, ":", 5)
			if len(fields) == 5 && line[0] != '#' && !yield("pgpass password", strings.ReplaceAll(fields[4], "\x00", ":")) {
				return
			}
		}
	}
}
