package blame

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// Patch returns the difference between two contents of a file in the form that git
// apply takes; nil if there is none. name is the path from the root of the project.
func Patch(name string, from, to Content) []byte {
	if from == to || !from.Exists && !to.Exists {
		return nil
	}
	a, b := quoted("a/"+name), quoted("b/"+name)
	var out bytes.Buffer
	fmt.Fprintf(&out, "diff --git %s %s\n", a, b)
	switch {
	case !from.Exists:
		out.WriteString("new file mode 100644\n")
		a = "/dev/null"
	case !to.Exists:
		out.WriteString("deleted file mode 100644\n")
		b = "/dev/null"
	}
	body := diff.Diff("a", []byte(from.Text), "b", []byte(to.Text))
	if hunks := bytes.Index(body, []byte("\n@@ ")); hunks >= 0 {
		fmt.Fprintf(&out, "--- %s\n+++ %s\n", ended(a), ended(b))
		out.Write(body[hunks+1:])
	}
	return out.Bytes()
}

// ended marks the end of a name with a space in it, as Git does.
func ended(name string) string {
	if strings.Contains(name, " ") && !strings.HasPrefix(name, `"`) {
		return name + "\t"
	}
	return name
}

// quoted writes a name as Git does if it has characters that a patch cannot hold.
func quoted(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		return name
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(name) {
		switch c := name[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
