package conformance_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// dialogue has pi write a session: what user and assistant say in turn.
func (r rig) dialogue(t *testing.T, cwd, dir, name string, texts ...string) string {
	t.Helper()
	ctx := t.Context()
	s, file := rig{r.Host, dir, cwd}.create(t)
	for i, text := range texts {
		role, more := "user", ""
		if i%2 == 1 {
			role, more = "assistant", `,"api":"a","provider":"p","model":"m","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":15,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.01}},"stopReason":"stop"`
		}
		message := fmt.Sprintf(`{"role":%q,"content":[{"type":"text","text":%q}]%s,"timestamp":%d}`, role, text, more, 1_765_241_610_000+int64(i)*1000)
		if _, err := s.Append(ctx, "appendMessage", json.RawMessage(message)); err != nil {
			t.Fatal(err)
		}
	}
	if name != "" {
		if _, err := s.Append(ctx, "appendSessionInfo", json.RawMessage(fmt.Sprintf("%q", name))); err != nil {
			t.Fatal(err)
		}
	}
	return file
}

// branch makes pi continue from an earlier entry, which starts a branch.
func (r rig) branch(t *testing.T, file, from string, texts ...string) {
	t.Helper()
	ctx := t.Context()
	s, err := r.Open(ctx, file)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Call(ctx, nil, "branch", from); err != nil {
		t.Fatal(err)
	}
	for i, text := range texts {
		message := fmt.Sprintf(`{"role":"user","content":%q,"timestamp":%d}`, text, 1_765_242_000_000+int64(i)*1000)
		if _, err := s.Append(ctx, "appendMessage", json.RawMessage(message)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Release(ctx); err != nil {
		t.Fatal(err)
	}
}
