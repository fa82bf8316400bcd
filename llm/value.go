package llm

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A value is a key or a header as the user wrote it: a literal, with
// environment variables as $NAME or ${NAME}; the name of a variable alone, as
// in older files; or, after an exclamation mark, a command that prints it.
type value struct {
	text   string
	lookup func(string) string
	what   string // for errors
}

const commandTime = 10 * time.Second

var (
	variable = regexp.MustCompile(`\$(?:[$!]|\{[A-Za-z_][A-Za-z0-9_]*\}|[A-Za-z_][A-Za-z0-9_]*)`)
	bareName = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
)

// resolve returns the value. It runs commands each time.
func (v value) resolve() (string, error) {
	if command, ok := strings.CutPrefix(v.text, "!"); ok {
		return v.run(command)
	}
	if missing := v.missing(); len(missing) > 0 {
		return "", fmt.Errorf("%w: %s needs the variable %s, which is not set", ErrNoKey, v.what, strings.Join(missing, " and "))
	}
	if bareName.MatchString(v.text) {
		if found := v.lookup(v.text); found != "" {
			return found, nil
		}
	}
	return variable.ReplaceAllStringFunc(v.text, func(ref string) string {
		if name := variableName(ref); name != "" {
			return v.lookup(name)
		}
		return ref[1:] // $$ and $! are escapes
	}), nil
}

// missing returns the variables that the value needs and that are not set.
func (v value) missing() []string {
	if strings.HasPrefix(v.text, "!") {
		return nil
	}
	var out []string
	for _, ref := range variable.FindAllString(v.text, -1) {
		if name := variableName(ref); name != "" && v.lookup(name) == "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// variableName returns the name in a reference, or "" for an escape.
func variableName(ref string) string {
	if ref == "$$" || ref == "$!" {
		return ""
	}
	return strings.Trim(ref, "${}")
}

// run returns the output of a command. Its error quotes neither the command nor
// its output.
func (v value) run(command string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), commandTime)
	defer cancel()
	shell, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		shell, flag = "cmd", "/C"
	}
	cmd := exec.CommandContext(ctx, shell, flag, command)
	cmd.WaitDelay = time.Second // for children that keep the pipe open
	out, err := cmd.Output()
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("it took longer than %v", commandTime)
	case err == nil && strings.TrimSpace(string(out)) == "":
		err = errors.New("it printed nothing")
	}
	if err != nil {
		return "", fmt.Errorf("%w: the command for %s failed: %v", ErrNoKey, v.what, err)
	}
	return strings.TrimSpace(string(out)), nil
}
