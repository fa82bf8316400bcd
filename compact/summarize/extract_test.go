package summarize_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
	"github.com/pith-sessions/pith/format"
)

func extracted(t testing.TB, p compact.Prompt) string {
	t.Helper()
	text, err := summarize.Extract(summarize.ExtractOptions{}).Summarize(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// headings are those of a summary, in their order.
func headings(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "#") {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return strings.Join(out, ", ")
}

const historyHeadings = "## Goal, ## Constraints & Preferences, ## Progress, ### Done, ### In Progress, ### Blocked, ## Key Decisions, ## Next Steps, ## Critical Context"

func TestExtractSections(t *testing.T) {
	messages := []string{user("port the parser to Go"), answer("Done. It is ported.")}
	for part, want := range map[compact.Part]string{
		compact.History:    historyHeadings,
		compact.LeftBranch: strings.TrimSuffix(historyHeadings, ", ## Critical Context"),
		compact.TurnPrefix: "## Original Request, ## Progress So Far, ## Context Needed to Continue",
	} {
		if got := headings(extracted(t, promptOf(t, part, messages...))); got != want {
			t.Errorf("Extract of the %v has the sections\n%s\nwant\n%s", part, got, want)
		}
	}
	if got := extracted(t, promptOf(t, compact.History)); headings(got) != historyHeadings {
		t.Errorf("Extract of nothing = %s", got)
	}
}

// The parts extracted from a conversation, by section.
func TestExtractFinds(t *testing.T) {
	tests := map[string]struct {
		messages []string
		section  string
		want     string
	}{
		"goal in the user's words": {
			[]string{user("make the tree view scroll smoothly"), answer("ok")},
			"## Goal", "- make the tree view scroll smoothly",
		},
		"a short question is a goal": {
			[]string{user("why is the build slow?"), answer("The cache is off."), user("yes"), answer("It is on now.")},
			"## Goal", "- why is the build slow?",
		},
		"a greeting is no goal": {
			[]string{user("Hi there!"), answer("Hello!"), user("fix main.go"), answer("It is fixed.")},
			"## Goal", "- fix main.go",
		},
		"consent is a goal only where nothing else is": {
			[]string{user("ok, go on"), answer("Going on."), user("now the tests"), answer("They pass.")},
			"## Goal", "- now the tests",
		},
		"a command for the program is no goal": {
			[]string{user("/mode"), answer("There is no such command here."), user("port the list"), answer("It is ported.")},
			"## Goal", "- port the list",
		},
		"a path is more than a command": {
			[]string{user("/etc/hosts?"), answer("It maps names.")},
			"## Goal", "- /etc/hosts?",
		},
		"nothing but consent": {
			[]string{user("continue"), answer("Going on.")},
			"## Goal", "- continue",
		},
		"nothing but a greeting": {
			[]string{user("hello 👋"), answer("Hello!")},
			"## Goal", "- hello 👋",
		},
		"goal is not what was pasted": {
			[]string{user("it crashes, find out why\n\n```\npanic: index out of range\n```"), answer("ok")},
			"## Goal", "- it crashes, find out why",
		},
		"a turn and what came of it": {
			[]string{user("rename the flag --all to --every"), answer("I'll do that.", callOf("c1", "edit", `{"path":"cli/flags.go"}`)), result("c1", "ok"), answer("Done! The flag is renamed everywhere.")},
			"### Done", "- [x] rename the flag --all to --every → The flag is renamed everywhere. [changed cli/flags.go]",
		},
		"commits": {
			[]string{user("commit it with a good message"), answer("", callOf("c1", "bash", `{"command":"cd /x && git add -A && git commit -m \"Scroll smoothly\""}`)), result("c1", "ok"), answer("Committed the change.")},
			"### Done", `- [x] commit it with a good message → Committed the change. [` + "`git commit -m \"Scroll smoothly\"` passed]",
		},
		"a failed change is none": {
			[]string{user("change the colours of the list"), answer("", callOf("c1", "edit", `{"path":"a.go"}`)), failure("c1", "Could not find the text"), answer("I could not find the text in the file.")},
			"### Done", "- [x] change the colours of the list → I could not find the text in the file.",
		},
		"an open turn": {
			[]string{user("make all the tests pass again"), answer("Let me run them.", callOf("c1", "bash", `{"command":"go test ./..."}`))},
			"### In Progress", "- [ ] make all the tests pass again → Let me run them.",
		},
		"an open problem": {
			[]string{user("run the tests"), answer("", callOf("c1", "bash", `{"command":"go test ./... 2>&1 | tail -5"}`)), failure("c1", "--- FAIL: TestX\n\nCommand exited with code 1"), answer("One test fails.")},
			"### Blocked", "- `go test ./...`: --- FAIL: TestX",
		},
		"a solved problem is not open": {
			[]string{user("run the tests"), answer("", callOf("c1", "bash", `{"command":"go test ./... | tail"}`)), failure("c1", "FAIL x"), answer("", callOf("c2", "bash", `{"command":"cd /x && go test ./..."}`)), result("c2", "ok"), answer("They pass.")},
			"### Blocked", "(none)",
		},
		"a longer command solves it too": {
			[]string{user("run the tests"), answer("", callOf("c1", "bash", `{"command":"go test ./..."}`)), failure("c1", "FAIL x"), answer("", callOf("c2", "bash", `{"command":"gofmt -w . && go test ./..."}`)), result("c2", "ok"), answer("They pass.")},
			"### Blocked", "(none)",
		},
		"what an extension told": {
			[]string{user("start the server"), `{"role":"custom","customType":"memo","content":"it listens on port 8080"}`, answer("The server is running.")},
			"## Critical Context", "- The assistant's last message: The server is running.\n- From memo: it listens on port 8080",
		},
		"not to find something is no problem": {
			[]string{user("is the word in there"), answer("", callOf("c1", "bash", `{"command":"grep -rn word ."}`)), failure("c1", "Command exited with code 1"), answer("It is not there.")},
			"### Blocked", "(none)",
		},
		"the user's answer to a question": {
			[]string{user("store the sessions"), answer("There are two ways.\n\nShould I use SQLite or files?"), user("files, one for each session"), answer("ok")},
			"## Key Decisions", "- **files, one for each session**: the user's answer to: Should I use SQLite or files?",
		},
		"what the assistant found out": {
			[]string{user("why is it slow"), answer("The root cause is the lock that every reader takes.")},
			"## Key Decisions", "- The root cause is the lock that every reader takes.",
		},
		"a todo list of a tool": {
			[]string{user("port everything"), answer("", callOf("c1", "todo_write", `{"todos":[{"content":"port a","status":"completed"},{"content":"port b","status":"in_progress"},{"content":"port c","status":"pending"}]}`)), result("c1", "ok"), answer("a is ported")},
			"## Next Steps", "1. port b\n2. port c",
		},
		"boxes in an answer": {
			[]string{user("how far are we"), answer("So far:\n- [x] read\n- [ ] write\n- [ ] test")},
			"## Next Steps", "1. write\n2. test",
		},
		"announced steps": {
			[]string{user("how far are we"), answer("The reader is done.\n\n## Next steps\n1. write the writer\n2. test it")},
			"## Critical Context", "- The assistant's last message: The reader is done. write the writer; test it",
		},
		"an open question": {
			[]string{user("clean it up"), answer("All clean. Shall I commit it?")},
			"## Next Steps", "1. The assistant's last question: Shall I commit it?",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			text := extracted(t, promptOf(t, compact.History, tt.messages...))
			if got := sectionOf(text, tt.section); got != tt.want {
				t.Errorf("Extract: %s is\n%s\nwant\n%s\nin\n%s", tt.section, got, tt.want, text)
			}
		})
	}
}

// Explicit conditions of the user.
func TestExtractFindsWishes(t *testing.T) {
	for _, wish := range []string{
		"you must never touch the generated files",
		"don’t use any third-party package for this",
		"make sure that the tests pass",
	} {
		text := extracted(t, promptOf(t, compact.History, user("improve the session reader of this program"), answer("ok"), user("one more thing. "+wish), answer("ok")))
		if got := sectionOf(text, "## Constraints & Preferences"); got != "- "+wish {
			t.Errorf("Extract: constraints are %q, want %q", got, wish)
		}
	}
	text := extracted(t, promptOf(t, compact.History, user("where is the parser, and what must it do?"), answer("in parse.go")))
	if got := sectionOf(text, "## Constraints & Preferences"); got != "(none)" {
		t.Errorf("Extract: constraints of a question are %q, want none", got)
	}
}

// The latest requests are quoted next to the first, in any language.
func TestExtractQuotesLatestRequests(t *testing.T) {
	messages := []string{user("improve the session reader of this program"), answer("ok"), user("die Tests müssen immer ohne Netz laufen"), answer("ok"), user("必ず日本語でコメントを書いてください"), answer("ok")}
	want := "- improve the session reader of this program\n- die Tests müssen immer ohne Netz laufen\n- 必ず日本語でコメントを書いてください"
	if got := sectionOf(extracted(t, promptOf(t, compact.History, messages...)), "## Goal"); got != want {
		t.Errorf("Extract: goals are\n%s\nwant\n%s", got, want)
	}
}

// A previous summary of any origin is merged, not repeated; and merging our own
// summary with nothing new changes little.
func TestExtractMergesPrevious(t *testing.T) {
	previous := "# Checkpoint\n\n## Goal\nWrite a parser for sessions\n\n## Constraints & Preferences\n- no third-party packages\n\n## Progress\n### Done\n- [x] the lexer\n\n" +
		"### In Progress\n- [ ] the parser\n\n## Key Decisions\n- **No recursion**: files can be deep\n\n## Next Steps\n1. finish the parser\n\n" +
		"## Critical Context\n- run `make check`\n\n## API\n```go\nfunc Parse([]byte)\n```\n\n<read-files>\na.go\n</read-files>\n\n<modified-files>\nb.go\n</modified-files>"
	p := promptOf(t, compact.History, user("you must also parse comments"), answer("Comments are parsed too.", callOf("c", "write", `{"path":"src/parse.go"}`)), result("c", "ok"), answer("Comments are parsed now."))
	p.PreviousSummary = previous
	text := extracted(t, p)
	for section, want := range map[string]string{
		"## Goal":                      "- Write a parser for sessions\n- you must also parse comments",
		"## Constraints & Preferences": "- no third-party packages",
		"### Done":                     "- [x] the lexer\n- [x] you must also parse comments → Comments are parsed now. [changed src/parse.go]",
		"## Key Decisions":             "- **No recursion**: files can be deep",
		"## Next Steps":                "1. (planned earlier, perhaps done) finish the parser",
		"### Earlier: API":             "```go\nfunc Parse([]byte)\n```",
	} {
		if got := sectionOf(text, section); got != want {
			t.Errorf("Extract: %s is\n%s\nwant\n%s", section, got, want)
		}
	}
	if strings.Contains(text, "read-files") || strings.Contains(text, "b.go") {
		t.Errorf("Extract repeats the lists of files, which are added afterwards:\n%s", text)
	}
	again := promptOf(t, compact.History, user("thanks"), answer("👍"))
	again.PreviousSummary = text
	if got := extracted(t, again); strings.Contains(got, "said last: Comments") {
		t.Errorf("Extract repeats what was said last an earlier time:\n%s", got)
	}
	for _, line := range []string{"Write a parser for sessions", "no third-party packages", "the lexer", "No recursion", "func Parse([]byte)", "run `make check`"} {
		if got := extracted(t, again); strings.Count(got, line) != 1 {
			t.Errorf("Extract of its own summary has %q %d times, want once:\n%s", line, strings.Count(got, line), got)
		}
	}
}

// Merging again and again stays within the limit and keeps the goal.
func TestExtractManyCompactions(t *testing.T) {
	previous := ""
	for i := range 40 {
		var messages []string
		for j := range 12 {
			id := fmt.Sprintf("c%d-%d", i, j)
			messages = append(messages, user(fmt.Sprintf("request %d-%d: improve the part number %d of the program", i, j, j)),
				answer("", callOf(id, "edit", fmt.Sprintf(`{"path":"src/part%d_%d.go"}`, i, j))), result(id, "ok"), answer(fmt.Sprintf("Part %d-%d is better now, and all its tests pass.", i, j)))
		}
		p := promptOf(t, compact.History, messages...)
		p.PreviousSummary = previous
		previous = extracted(t, p)
	}
	if n := size(previous); n > 3000 {
		t.Errorf("after 40 compactions the summary has %d tokens, want 3000 at most", n)
	}
	if !strings.Contains(sectionOf(previous, "## Goal"), "request 0-0") || !strings.Contains(previous, "request 39-11") {
		t.Errorf("after 40 compactions the first goal or the last request is gone:\n%s", previous)
	}
	var told, left int
	for line := range strings.Lines(sectionOf(previous, "### Done")) {
		if _, err := fmt.Sscanf(line, "- [x] (%d smaller", &left); err != nil {
			told++
		}
	}
	if told+left != 480 {
		t.Errorf("after 40 compactions %d steps are told and %d counted as left out, want 480 together", told, left)
	}
}

func size(text string) int64 {
	return compact.ByScript.Tokens(&format.User{Content: format.TextContent(text)})
}

// For any conversation, the result is bounded, valid and deterministic.
func TestExtractIsBoundedAndStable(t *testing.T) {
	long := map[string]string{
		"latin":   strings.Repeat("you must always check the results of each and every function. ", 150),
		"cjk":     strings.Repeat("必ずすべての関数の結果を確認してください。", 200),
		"oneword": strings.Repeat("x", 20_000),
		"lines":   strings.Repeat("- [ ] do it\n", 1000),
		"control": strings.Repeat("\x1b[31m\x00must not ", 500),
	}
	for name, text := range long {
		for part := compact.History; part <= compact.LeftBranch; part++ {
			var messages []string
			for i := range 5 {
				messages = append(messages, user(fmt.Sprint(i, " ", text)), answer(text, callOf("c", "bash", `{"command":`+quote(text)+`}`)), failure("c", text), answer(text))
			}
			p := promptOf(t, part, messages...)
			p.PreviousSummary, p.Instructions = "## Goal\n"+text+"\n## Done\n- "+text+"\n## Own\n"+text, text
			for _, most := range []int64{0, 400, 5000} {
				s := summarize.Extract(summarize.ExtractOptions{MaxTokens: most})
				first, err := s.Summarize(t.Context(), p)
				second, _ := s.Summarize(t.Context(), p)
				limit := most
				if limit == 0 {
					limit = 1500
				}
				if err != nil || first != second || !utf8.ValidString(first) || size(first) > 2*limit {
					t.Errorf("Extract of %s, the %v, at most %d: %d tokens, %v, same %v, valid %v", name, part, most, size(first), err, first == second, utf8.ValidString(first))
				}
			}
		}
	}
}

// Halves of surrogate pairs are replaced; control characters stay.
func TestExtractText(t *testing.T) {
	text := extracted(t, promptOf(t, compact.History,
		`{"role":"user","content":"fix the \ud83d half and keep the \u001b[31m red in the output"}`, `{"role":"assistant","content":[{"type":"text","text":"ok"}],"stopReason":"stop"}`))
	if want := "- fix the \uFFFD half and keep the \x1b[31m red in the output"; sectionOf(text, "## Goal") != want {
		t.Errorf("Extract: goal is %q, want %q", sectionOf(text, "## Goal"), want)
	}
}

// pitfall 113
func TestExtractTurnPrefix(t *testing.T) {
	p := promptOf(t, compact.TurnPrefix,
		user("# Task\nport these:\n- a\n- b\n\nyou must keep the tests"),
		answer("I'll begin with a.", callOf("c1", "write", `{"path":"src/a.go"}`)), result("c1", "ok"),
		answer("Now the check.", callOf("c2", "bash", `{"command":"make check"}`)), failure("c2", "error: b is missing"))
	p.Instructions = "mind the tests"
	text := extracted(t, p)
	if got, want := sectionOf(text, "## Original Request"), "> # Task\n> port these:\n> - a\n> - b\n> \n> you must keep the tests"; got != want {
		t.Errorf("Extract: original request is\n%s\nwant\n%s", got, want)
	}
	for _, want := range []string{"- Changed src/a.go", "- Ran `make check` failed", "- I'll begin with a."} {
		if got := sectionOf(text, "## Progress So Far"); !strings.Contains(got, want) {
			t.Errorf("Extract: progress is\n%s\nwant %q in it", got, want)
		}
	}
	if got := sectionOf(text, "## Context Needed to Continue"); !strings.Contains(got, "error: b is missing") {
		t.Errorf("Extract: context is\n%s\nwant the open problem in it", got)
	}
	if got := sectionOf(text, "## Additional Focus"); !strings.Contains(got, "mind the tests") || !strings.Contains(got, "you must keep the tests") {
		t.Errorf("Extract: focus is\n%s\nwant what was asked and what was said about it", got)
	}
}

// pitfall 120: a branch has no tool results.
func TestExtractBranch(t *testing.T) {
	text := extracted(t, promptOf(t, compact.LeftBranch,
		user("try it with a mutex instead of the channel"), answer("", callOf("c1", "edit", `{"path":"pkg/worker.go"}`), callOf("c2", "bash", `{"command":"go test ./..."}`)), answer("It deadlocks with the mutex.")))
	if got, want := sectionOf(text, "### Done"), "- [x] try it with a mutex instead of the channel → It deadlocks with the mutex. [changed pkg/worker.go; `go test ./...` (outcome unknown)]"; got != want {
		t.Errorf("Extract of a branch: done is\n%s\nwant\n%s", got, want)
	}
}

func TestExtractErrors(t *testing.T) {
	broken := errors.New("disk gone")
	p := compact.Prompt{Part: compact.History, Messages: func(yield func(pith.ContextMessage, error) bool) { yield(pith.ContextMessage{}, broken) }}
	if text, err := summarize.Extract(summarize.ExtractOptions{}).Summarize(t.Context(), p); text != "" || !errors.Is(err, broken) {
		t.Errorf("Extract of messages that cannot be read = %q, %v; want the error", text, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if text, err := summarize.Extract(summarize.ExtractOptions{}).Summarize(ctx, promptOf(t, compact.History, user("x"))); text != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("Extract after cancelling = %q, %v; want the error of the context", text, err)
	}
}
