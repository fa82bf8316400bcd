package summarize_test

import (
	"testing"

	"github.com/pith-sessions/pith/compact"
)

// The items of a request are what is to be done. They are conditions if they say
// so, or if the line above them does.
func TestExtractItems(t *testing.T) {
	for name, tt := range map[string]struct{ request, want string }{
		"tasks":               {"improve these three parts:\n- the parser of sessions\n- the list of files\n- the page of help", "(none)"},
		"a list of functions": {"- selectSession() function of the picker\n\nthis belongs elsewhere\n\n- checkForNewVersion() function\n\nonce is enough", "(none)"},
		"a task that demands": {"- port the whole parser\n- the old tests must still pass", "- the old tests must still pass"},
		"rules":               {"port the parser.\n\nRules:\n- one commit for each step\n- standard library first", "- one commit for each step\n- standard library first"},
		"a heading":           {"port the parser\n\n## Requirements\n- one commit for each step", "- one commit for each step"},
		"rules, then tasks":   {"Rules:\n- one commit for each step\n\nand these are the parts:\n- the parser of sessions", "- one commit for each step"},
		"Regeln":              {"Regeln dafür:\n- ein Commit für jeden Schritt", "- ein Commit für jeden Schritt"},
		"条件":                  {"条件：\n- 一つの変更ごとにコミットする", "- 一つの変更ごとにコミットする"},
	} {
		text := extracted(t, promptOf(t, compact.History, user("improve the session reader of this program"), answer("ok"), user(tt.request), answer("Done with it.")))
		if got := sectionOf(text, "## Constraints & Preferences"); got != tt.want {
			t.Errorf("%s: Extract: constraints of %q are\n%s\nwant\n%s", name, tt.request, got, tt.want)
		}
	}
}

// What the user rejected is no decision.
func TestExtractRejected(t *testing.T) {
	const idea, other = "The fix is simple: use queueMessage instead of appendMessage everywhere.", "The root cause is the lock that every reader takes."
	for name, tt := range map[string]struct {
		said []string // by the user, after the idea
		want string
	}{
		"at once":              {[]string{"no, that will not do"}, "(none)"},
		"behind a filler":      {[]string{"hm, wait, wtf?"}, "(none)"},
		"further down":         {[]string{"That's not it. Look at the reader"}, "(none)"},
		"nein":                 {[]string{"Nein, bitte anders"}, "(none)"},
		"不对":                   {[]string{"不对，换一种方法吧"}, "(none)"},
		"later, by its words":  {[]string{"go on", "wait, this doesn't look right. why would we queue and then append?"}, "(none)"},
		"later, another thing": {[]string{"go on", "no, the colours of the list are too dark"}, "- " + idea},
		"no problem":           {[]string{"no problem, go on"}, "- " + idea},
		"do not forget":        {[]string{"good. and don't forget the tests"}, "- " + idea},
		"consent":              {[]string{"yes, do that"}, "- " + idea},
	} {
		messages := []string{user("why do the messages come in the wrong order"), answer(idea)}
		for _, said := range tt.said {
			messages = append(messages, user(said), answer("I see."))
		}
		if got := sectionOf(extracted(t, promptOf(t, compact.History, messages...)), "## Key Decisions"); got != tt.want {
			t.Errorf("%s: Extract: decisions after %q are\n%s\nwant\n%s", name, tt.said, got, tt.want)
		}
		messages = append(messages, user("and why is it slow"), answer(other))
		want := "- " + other
		if tt.want != "(none)" {
			want = tt.want + "\n" + want
		}
		if got := sectionOf(extracted(t, promptOf(t, compact.History, messages...)), "## Key Decisions"); got != want {
			t.Errorf("%s: Extract: decisions after another are\n%s\nwant\n%s", name, got, want)
		}
	}
}

// A wish that the user took back is none.
func TestExtractUndone(t *testing.T) {
	messages := []string{
		user("improve the session reader of this program"), answer("ok"),
		user("the selector needs to wait for the next tick"), answer("It waits."),
	}
	const wish = "- the selector needs to wait for the next tick"
	for last, want := range map[string]string{"yeah you can undo that": "(none)", "no, that is too long": wish, "thanks": wish} {
		text := extracted(t, promptOf(t, compact.History, append(messages[:len(messages):len(messages)], user(last), answer("ok"))...))
		if got := sectionOf(text, "## Constraints & Preferences"); got != want {
			t.Errorf("Extract: constraints after %q are\n%s\nwant\n%s", last, got, want)
		}
	}
}
