package catalog_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/format"
	"github.com/pith-sessions/pith/sessiondir"
)

// Lists, references like @ and continuing choose the same session as the most
// recent one.
func TestMostRecentIsFirstInList(t *testing.T) {
	now := time.Now()
	type session struct{ said, written time.Duration } // before now
	tests := map[string]struct {
		sessions map[string]session
		want     string
	}{
		"the last message counts":                {map[string]session{"a": {2 * time.Hour, time.Minute}, "b": {time.Hour, time.Hour}}, "b"},
		"a message of tomorrow":                  {map[string]session{"a": {-24 * time.Hour, 2 * time.Hour}, "b": {time.Hour, time.Hour}}, "b"},
		"a message of tomorrow, written now":     {map[string]session{"a": {-24 * time.Hour, 0}, "b": {time.Hour, time.Hour}}, "a"},
		"a message and a file of tomorrow":       {map[string]session{"a": {-24 * time.Hour, -24 * time.Hour}, "b": {time.Hour, time.Hour}}, "b"},
		"a file of tomorrow":                     {map[string]session{"a": {2 * time.Hour, -24 * time.Hour}, "b": {time.Hour, time.Hour}}, "b"},
		"a file of tomorrow, the latest message": {map[string]session{"a": {time.Minute, -24 * time.Hour}, "b": {time.Hour, time.Hour}}, "a"},
		"equal times":                            {map[string]session{"a": {time.Hour, 0}, "b": {time.Hour, time.Minute}}, "a"},
	}
	const image = 5 << 20 // larger than the end of a file that is read first
	for name, tt := range tests {
		for _, tail := range []int{0, image} {
			t.Run(fmt.Sprint(name, ", ", tail), func(t *testing.T) {
				dir := t.TempDir()
				for id, s := range tt.sessions {
					text := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-01-01T00:00:00.000Z","cwd":"/p"}`+"\n", id) +
						fmt.Sprintf(`{"type":"message","id":"1","parentId":null,"timestamp":%q,"message":{"role":"user","content":"x"}}`+"\n", format.FormatTime(now.Add(-s.said))) +
						`{"type":"message","id":"2","parentId":"1","timestamp":"2026-01-02T00:00:00.000Z","message":{"role":"user","content":"merged from elsewhere"}}` + "\n" +
						`{"type":"message","id":"3","parentId":"1","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"image","data":"` +
						strings.Repeat("A", tail) + `","mimeType":"image/png"}],"isError":false}}` + "\n"
					path := filepath.Join(dir, id+".jsonl")
					if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
					at := now.Add(-s.written)
					if err := os.Chtimes(path, at, at); err != nil {
						t.Fatal(err)
					}
				}
				infos, err := catalog.Sorted(catalog.List(t.Context(), "/p", catalog.Options{Dir: dir}))
				if err != nil || infos[0].ID != tt.want {
					t.Errorf("the list starts with %s, %v; want %s", infos[0].ID, err, tt.want)
				}
				recent, err := sessiondir.MostRecent(t.Context(), "/p", dir)
				if err != nil || filepath.Base(recent) != tt.want+".jsonl" {
					t.Errorf("MostRecent = %s, %v; want %s", filepath.Base(recent), err, tt.want)
				}
			})
		}
	}
}
