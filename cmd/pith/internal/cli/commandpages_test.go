package cli_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	commandPages   = "../../../../docs/reference/commands"
	startGenerated = "<!-- Generated from pith help. Edit below the end mark. -->\n"
	endGenerated   = "<!-- End of the generated part. -->\n"
)

// TestCommandPages holds every page of docs/reference/commands to the help of its
// command. Run it with -update to rewrite the generated parts. Text after the end
// mark is written by hand: an example with its output, and details.
func TestCommandPages(t *testing.T) {
	var d desk
	_, help, _ := d.run(t, "--help")
	want := map[string]string{"README.md": commandIndex(help)}
	for _, name := range commandNames(t) {
		want[name+".md"] = commandPage(t, &d, nil, name, shortHelp(help, name))
	}
	files, err := filepath.Glob(filepath.Join(commandPages, "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if _, ok := want[filepath.Base(file)]; !ok {
			t.Errorf("%s is about no command", filepath.Base(file))
		}
	}
	for name, generated := range want {
		path := filepath.Join(commandPages, name)
		data, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		page := string(data)
		_, byHand, _ := strings.Cut(page, endGenerated)
		if name != "README.md" && !*update && !strings.Contains(byHand, "\n## Example") {
			t.Errorf("%s has no example", name)
		}
		switch got := startGenerated + generated + endGenerated + byHand; {
		case got == page:
		case *update:
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s differs from the help; if that is intended, run: go test ./cmd/pith/internal/cli -run TestCommandPages -update", name)
		}
	}
}

var (
	helpGroup   = regexp.MustCompile(`(?ms)^([A-Z][a-z A-Z]+):\n((?:  [a-z]+ {2,}[^\n]+\n(?: {6,}[^\n]*\n)*)+)`)
	helpCommand = regexp.MustCompile(`(?m)^  ([a-z]+) {2,}([A-Z][^\n]*(?:\n {6,}[^\n]*)*)`)
	helpFlag    = regexp.MustCompile(`(?m)^ +((?:-\w, )?--[a-z-]+(?: [A-Z][A-Za-z:,./|-]*)?) {2,}([^\n]*(?:\n {10,}[^\n]*)*)`)
)

// commandIndex is the list of all commands, grouped as in pith --help.
func commandIndex(help string) string {
	var b strings.Builder
	b.WriteString("# Commands\n\nEvery command, grouped as in `pith help`. [Conventions](../conventions.md) has the flags, references and exit codes\nthat all commands share. [JSON](../json.md) describes the output of `--json`.\n")
	for _, group := range helpGroup.FindAllStringSubmatch(help, -1) {
		if group[1] == "Examples" {
			continue
		}
		b.WriteString("\n## " + group[1] + "\n\n| command | |\n|---|---|\n")
		for _, c := range helpCommand.FindAllStringSubmatch(group[2], -1) {
			b.WriteString("| [`pith " + c[1] + "`](" + c[1] + ".md) | " + markdown(oneLine(c[2])) + " |\n")
		}
	}
	return b.String()
}

// commandPage is the help of a command as Markdown, with that of its subcommands.
func commandPage(t *testing.T, d *desk, parents []string, name, short string) string {
	t.Helper()
	command := append(slices.Clone(parents), name)
	_, help, _ := d.run(t, append(command, "--help")...)
	long, rest, found := strings.Cut("\n"+help, "\nUsage:\n")
	if !found {
		t.Fatalf("help of %q has no usage:\n%s", command, help)
	}
	level := strings.Repeat("#", 1+len(parents))
	var b strings.Builder
	b.WriteString(level + " pith " + strings.Join(command, " ") + "\n\n" + markdown(short) + ".\n\n```text\n" + outdent(section("Usage:\n"+rest, "Usage")) + "```\n")
	if long = strings.TrimSpace(long); long != "" && long != short {
		b.WriteString("\n" + proseOfHelp(long) + "\n")
	}
	if aliases := section(rest, "Aliases"); aliases != "" {
		_, others, _ := strings.Cut(strings.TrimSpace(aliases), ", ")
		b.WriteString("\nAlso: `pith " + strings.ReplaceAll(others, ", ", "`, `pith ") + "`.\n")
	}
	if flags := helpFlag.FindAllStringSubmatch(section(rest, "Flags"), -1); len(flags) > 0 {
		b.WriteString("\n" + level + "# Flags" + ofCommand(parents, name) + "\n\n| flag | |\n|---|---|\n")
		for _, f := range flags {
			b.WriteString("| `" + strings.ReplaceAll(f[1], ", -", "`, `-") + "` | " + strings.ReplaceAll(markdown(oneLine(f[2])), "|", `\|`) + " |\n")
		}
	}
	if examples := section(rest, "Examples"); examples != "" && len(parents) == 0 {
		b.WriteString("\n## More examples\n\n```sh\n" + outdent(examples) + "```\n")
	}
	for _, c := range helpCommand.FindAllStringSubmatch(section(rest, "Available Commands"), -1) {
		b.WriteString("\n" + commandPage(t, d, command, c[1], oneLine(c[2])))
	}
	return b.String()
}

func ofCommand(parents []string, name string) string {
	if len(parents) == 0 {
		return ""
	}
	return " of " + name
}

// section is what follows a heading of a help text, up to the next empty line.
func section(help, heading string) string {
	_, rest, _ := strings.Cut("\n"+help, "\n"+heading+":\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// shortHelp is the line about a command in the list of all.
func shortHelp(help, name string) string {
	for _, c := range helpCommand.FindAllStringSubmatch(help, -1) {
		if c[1] == name {
			return oneLine(c[2])
		}
	}
	return ""
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func outdent(text string) string {
	return regexp.MustCompile(`(?m)^  `).ReplaceAllString(text, "")
}

// proseOfHelp makes Markdown of a help text: indented lines become a code block.
func proseOfHelp(long string) string {
	var parts []string
	for part := range strings.SplitSeq(long, "\n\n") {
		var prose, code []string
		for line := range strings.SplitSeq(part, "\n") {
			switch {
			case strings.HasPrefix(line, "  "):
				code = append(code, strings.TrimPrefix(line, "  "))
			case len(code) > 0:
				code = append(code, line)
			default:
				prose = append(prose, line)
			}
		}
		if len(prose) > 0 {
			parts = append(parts, markdown(strings.Join(prose, "\n")))
		}
		if len(code) > 0 {
			parts = append(parts, "```text\n"+strings.Join(code, "\n")+"\n```")
		}
	}
	return strings.Join(parts, "\n\n")
}

// markdown escapes what Markdown would take for marks.
func markdown(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "<", "&lt;", "[", `\[`, "`", "\\`").Replace(text)
}
