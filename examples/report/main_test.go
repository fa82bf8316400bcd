package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
)

func TestReport(t *testing.T) {
	dir := t.TempDir()
	for _, question := range []string{"Where is the lighthouse?", "How deep is the lake?"} {
		s, err := pith.Create(pith.Options{Dir: dir, Cwd: "/src/app"})
		if err != nil {
			t.Fatal(err)
		}
		answer := format.NewAssistant("I do not know.", time.Now())
		answer.Usage = format.Usage{Input: 100, Output: 10, TotalTokens: 110, Cost: format.Cost{Total: 0.002}}
		for _, m := range []format.Message{format.NewUser(question, time.Now()), answer} {
			if _, err := s.AppendMessage(t.Context(), m); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if err := report(t.Context(), &out, catalog.Options{Dir: dir}, "lighthouse"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\"Where is the lighthouse?\" 2 messages\n", "found in \"Where is the lighthouse?\": user\n", "2 responses, 220 tokens, cost 4000 millionths\n"} {
		if !bytes.Contains(out.Bytes(), []byte(want)) {
			t.Errorf("the report lacks %q:\n%s", want, out.String())
		}
	}
}
