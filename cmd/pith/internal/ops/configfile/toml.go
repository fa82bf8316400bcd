package configfile

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// SetTable gives a file of TOML a table with a dotted name and the given lines, at the
// place of the one it has, or at the end. Nil lines remove it and the tables below it.
// The error matches ErrShape if the file writes the table in another form.
func SetTable(text []byte, name string, lines []string) ([]byte, error) {
	mark, body := []byte(nil), text
	if rest, ok := bytes.CutPrefix(text, byteOrderMark); ok {
		mark, body = byteOrderMark, rest
	}
	want, err := decoded(body)
	if err != nil {
		return nil, fmt.Errorf("is not valid TOML: %w", err)
	}
	end := "\n"
	if bytes.Contains(body, []byte("\r\n")) {
		end = "\r\n"
	}
	out, done := withoutTable(body, name, lines, end)
	if !done && lines != nil {
		if len(out) > 0 {
			if !strings.HasSuffix(out, "\n") {
				out += end
			}
			out += end
		}
		out += table(name, lines, end)
	}
	got, err := decoded([]byte(out))
	if err == nil {
		err = put(want, name, lines)
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("the table %s %w", name, ErrShape)
	}
	return append(bytes.Clone(mark), out...), nil
}

func table(name string, lines []string, end string) string {
	return "[" + name + "]" + end + strings.Join(lines, end) + end
}

// withoutTable replaces or removes a table. done reports whether it was replaced.
func withoutTable(body []byte, name string, lines []string, end string) (out string, done bool) {
	var b strings.Builder
	inside, waiting := false, "" // blank lines before a table that may go
	for line := range strings.Lines(string(body)) {
		text := strings.TrimSpace(line)
		if header, ok := strings.CutPrefix(text, "["); ok {
			header, _, _ = strings.Cut(header, "]")
			header = strings.Trim(header, "[ ")
			inside = header == name || lines == nil && strings.HasPrefix(header, name+".")
			if header == name && lines != nil {
				b.WriteString(waiting + table(name, lines, end))
				waiting, done = "", true
				continue
			}
		}
		switch {
		case inside && text == "":
			waiting += line // they belong to what follows
		case inside:
			if lines == nil {
				waiting = ""
			}
		case text == "":
			waiting += line
		default:
			b.WriteString(waiting + line)
			waiting = ""
		}
	}
	if !inside || lines != nil {
		b.WriteString(waiting)
	}
	return b.String(), done
}

func decoded(body []byte) (map[string]any, error) {
	out := map[string]any{}
	return out, toml.Unmarshal(body, &out)
}

// put sets or removes a table of a decoded file.
func put(file map[string]any, name string, lines []string) error {
	parts := strings.Split(name, ".")
	at := file
	for _, part := range parts[:len(parts)-1] {
		next, ok := at[part].(map[string]any)
		if !ok {
			if lines == nil {
				return nil
			}
			next = map[string]any{}
			at[part] = next
		}
		at = next
	}
	last := parts[len(parts)-1]
	if lines == nil {
		delete(at, last)
		if len(at) == 0 && len(parts) > 1 {
			delete(file, parts[0])
		}
		return nil
	}
	made, err := decoded([]byte(strings.Join(lines, "\n")))
	if had, ok := at[last].(map[string]any); ok { // tables below it stay
		for key, value := range had {
			if _, isTable := value.(map[string]any); isTable {
				made[key] = value
			}
		}
	}
	at[last] = made
	return err
}
