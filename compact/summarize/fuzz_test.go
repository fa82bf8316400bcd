package summarize_test

import (
	"testing"
	"unicode/utf8"

	"github.com/pith-sessions/pith/compact"
	"github.com/pith-sessions/pith/compact/summarize"
)

// For any conversation, the summary is valid, bounded and deterministic.
func FuzzExtract(f *testing.F) {
	f.Add("fix it, you must!", "done. **A**: because", `{"path":"a.go","command":"cd x && make 2>&1 | tail"}`, "error: no", "## Goal\nx\n### Done\n- [x] y")
	f.Add("必ず\n```\ncode", "- [ ] a\n- [x] b\n## Next\n1. c", `{"todos":[{"content":"x","status":"done"},"y"]}`, "", "---\n<read-files>\na")
	f.Fuzz(func(t *testing.T, asked, said, arguments, output, previous string) {
		if !validJSON(arguments) {
			arguments = quote(arguments)
		}
		for part := compact.History; part <= compact.LeftBranch; part++ {
			p := promptOf(t, part, user(asked), answer(said, callOf("1", "edit_todo", arguments), callOf("2", "bash", arguments)), result("1", output), failure("2", output), user(said), answer(asked))
			p.PreviousSummary, p.Instructions = previous, asked
			s := summarize.Extract()
			first, err := s.Summarize(t.Context(), p)
			second, _ := s.Summarize(t.Context(), p)
			if err != nil || first != second || !utf8.ValidString(first) || size(first) > maxTokens {
				t.Errorf("Extract of the %v = %q (%d tokens), %v", part, first, size(first), err)
			}
		}
	})
}
