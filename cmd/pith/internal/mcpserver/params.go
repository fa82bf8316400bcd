package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/pith-sessions/pith/cmd/pith/internal/ops"
	"github.com/pith-sessions/pith/cmd/pith/internal/ops/past"
)

// rest are the parameters that all tools have.
//
// The tag about describes a parameter to models. The tag least is the smallest valid
// number, and usual its default.
type rest struct {
	Budget int    `json:"budget" least:"200" about:"maximum length of the answer in tokens"`
	Next   string `json:"next" about:"to continue an answer: the value of next at its end"`
}

func (r *rest) common() *rest { return r }

// offset returns where a list continues.
func (r *rest) offset() (int, error) {
	if r.Next == "" {
		return 0, nil
	}
	var n int
	if _, err := fmt.Sscanf(r.Next, "%d", &n); err != nil || n < 0 {
		return 0, r.invalid()
	}
	return n, nil
}

// invalid returns the error for a next that no answer had.
func (r *rest) invalid() error {
	return past.Usagef("invalid next %q: use the value from the previous answer, or leave it out to start over", past.Short(r.Next, 40))
}

// fields are the parameters of a tool.
type fields []ops.Param

func (f fields) names() []string {
	var out []string
	for i := range f {
		out = append(out, f[i].Names[0])
	}
	return out
}

// schema returns the parameters as JSON Schema.
func (f fields) schema() json.RawMessage {
	var b strings.Builder
	var needed []string
	before := `{"type":"object","properties":{`
	for i := range f {
		kind, about := "string", f[i].Tag.Get("about")
		if f[i].Type.Kind() == reflect.Int {
			kind = "integer"
		}
		if usual := f[i].Tag.Get("usual"); usual != "" {
			about += ", default " + usual
		}
		fmt.Fprintf(&b, `%s%q:{"type":%q,"description":%q}`, before, f[i].Names[0], kind, about)
		if f[i].Needed {
			needed = append(needed, f[i].Names[0])
		}
		before = ","
	}
	b.WriteString("}")
	if len(needed) > 0 {
		fmt.Fprintf(&b, `,"required":["%s"]`, strings.Join(needed, `","`))
	}
	b.WriteString("}")
	return json.RawMessage(b.String())
}

// read sets the fields of a struct to the arguments of a call. Models send numbers as
// strings and strings as numbers, so both are accepted.
func (f fields) read(raw json.RawMessage, into any) error {
	var values map[string]json.RawMessage
	names := strings.Join(f.names(), ", ")
	if len(bytes.TrimSpace(raw)) > 0 && json.Unmarshal(raw, &values) != nil {
		return past.Usagef("the arguments must be an object with %s", names)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(f.names(), name) {
			return past.Usagef("unknown parameter %q; use %s", name, names)
		}
	}
	for i := range f {
		if err := set(&f[i], values[f[i].Names[0]], f[i].In(reflect.ValueOf(into).Elem())); err != nil {
			return err
		}
	}
	return nil
}

// set sets a field to a value in JSON, which is empty if it is missing.
func set(p *ops.Param, raw json.RawMessage, field reflect.Value) error {
	name, text := p.Names[0], string(bytes.TrimSpace(raw))
	var s string
	switch {
	case text == "null":
		text = ""
	case json.Unmarshal(raw, &s) == nil:
		text = strings.TrimSpace(s)
	case strings.HasPrefix(text, "{"), strings.HasPrefix(text, "["):
		return past.Usagef("%s must be a string", name)
	}
	if text == "" && p.Needed {
		return past.Usagef("missing %s: %s", name, p.Tag.Get("about"))
	}
	if field.Kind() != reflect.Int {
		field.SetString(text)
		return nil
	}
	if text == "" {
		if text = p.Tag.Get("usual"); text == "" {
			return nil
		}
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > math.MaxInt32 {
		return past.Usagef("%s must be a whole number, not %q", name, past.Short(text, 40))
	}
	if least, err := strconv.Atoi(p.Tag.Get("least")); err == nil && int(n) < least {
		return past.Usagef("invalid %s %d: use %d or more", name, int(n), least)
	}
	field.SetInt(int64(n))
	return nil
}
