package catalog_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pith-sessions/pith/catalog"
	"github.com/pith-sessions/pith/internal/edits"
	"github.com/pith-sessions/pith/internal/spending"
)

// randomRecords are some records of a session: responses, calls of tools, and results
// of earlier calls.
func randomRecords(r *rand.Rand, next *int) (out string) {
	for range 1 + r.IntN(5) {
		*next++
		n, call := *next, r.IntN(12)
		switch r.IntN(5) {
		case 0:
			out += message("user", `"question"`, n)
		case 1:
			out += fmt.Sprintf(`{"type":"message","id":"%08x","parentId":null,"timestamp":"2026-02-03T10:00:00.000Z","message":{"role":"assistant","content":"x","provider":"p","model":"m%d","usage":{"input":%d,"output":2,"totalTokens":%d,"cost":{"total":0.5}}}}`, n, n%3, n, n+2)
		case 2:
			out += message("assistant", fmt.Sprintf(`[{"type":"toolCall","id":"c%d","name":"write","arguments":{"path":"f%d","content":"x"}},{"type":"toolCall","id":"m%d","name":"bash","arguments":{"command":"mv f%d g%d"}}]`, call, n, call, n, n), n)
		case 3:
			out += fmt.Sprintf(`{"type":"message","id":"%08x","parentId":null,"message":{"role":"toolResult","toolCallId":"%s%d","toolName":"write","content":"ok"}}`, n, []string{"c", "m"}[r.IntN(2)], call)
		case 4:
			out += fmt.Sprintf(`{"type":"message","id":"%08x","parentId":null,"message":{"role":"toolResult","toolCallId":"t%d","toolName":"task","content":"ok","details":{"results":[]}}}`, n, n)
		}
		out += "\n"
	}
	return out
}

// What lists collect is the same without an index and with one, whatever was collected
// before, and however files grow and change. A file that has only grown is read from
// where it ended.
func TestCollectedAfterRandomChanges(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 9))
		o, cache, next := isolated(t, nil), t.TempDir(), 0
		var paths []string
		for i := range 6 {
			id := fmt.Sprint("s", i)
			paths = append(paths, write(t, filepath.Join(piFolder(o.Home, "/p"), id+".jsonl"), session(header(id, "/p"))+randomRecords(r, &next)))
		}
		responses, touches := 0, 0
		for range 60 {
			path := paths[r.IntN(len(paths))]
			switch r.IntN(8) {
			case 0:
				write(t, path, session(header("again", "/p"))+randomRecords(r, &next))
			case 1:
				other := path + ".away"
				if err := os.Rename(path, other); err != nil {
					t.Fatal(err)
				}
				if r.IntN(2) == 0 {
					listAll(t, o, cache)
				}
				if err := os.Rename(other, path); err != nil {
					t.Fatal(err)
				}
			default:
				appendText(t, path, randomRecords(r, &next))
			}
			at := start.Add(time.Duration(next) * time.Second)
			if err := os.Chtimes(path, at, at); err != nil {
				t.Fatal(err)
			}
			o.Responses, o.Touched = r.IntN(2) == 0, r.IntN(2) == 0
			for _, info := range listAll(t, o, cache) {
				if found, ok := info.Responses.(spending.Found); ok {
					responses += len(found.Responses)
				}
				if found, ok := info.Touched.([]edits.Touch); ok {
					touches += len(found)
				}
				if (info.Responses != nil) != o.Responses || (info.Touched != nil) != o.Touched {
					t.Fatalf("responses %v, touched %v", info.Responses, info.Touched)
				}
			}
		}
		if responses == 0 || touches == 0 {
			t.Errorf("%d responses, %d touches: this test tests nothing", responses, touches)
		}
		o.Responses, o.Touched = true, true
		listAll(t, o, cache)
		o.Index = openIndex(t, cache)
		var read atomic.Int64
		catalog.CountReads(&o, &read)
		for _, more := range []string{strings.Repeat(message("user", `"long"`, 1)+"\n", 1000), randomRecords(r, &next)} {
			read.Store(0)
			appendText(t, paths[0], more)
			if _, err := catalog.Sorted(catalog.ListAll(t.Context(), o)); err != nil {
				t.Fatal(err)
			}
		}
		if read.Load() > 50_000 {
			t.Errorf("%d bytes were read of a file that has grown a little", read.Load())
		}
	}
}

// SQLite does not notice that a value changed, so files whose rows do not fit their
// sums are read again.
func TestDamagedCollections(t *testing.T) {
	r, next := rand.New(rand.NewPCG(1, 2)), 0
	o, cache := isolated(t, nil), t.TempDir()
	o.Responses, o.Touched = true, true
	for i := range 4 {
		id, text := fmt.Sprint("s", i), ""
		for range 20 {
			text += randomRecords(r, &next)
		}
		write(t, filepath.Join(piFolder(o.Home, "/p"), id+".jsonl"), session(header(id, "/p"))+text)
	}
	listAll(t, o, cache)
	db, err := sql.Open("sqlite", catalog.IndexFiles(cache)[0])
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, damage := range []string{
		"UPDATE response SET cost = cost + 1 WHERE n = 0", "UPDATE response SET model = model || 'x'", "UPDATE response SET at = 'x'", "DELETE FROM response WHERE n = 1",
		"UPDATE response SET key_low = 0", "UPDATE response SET file = file + 1000", "DELETE FROM response", "UPDATE touched SET path = path || 'x'", "DELETE FROM touched WHERE n = 0",
		"UPDATE file SET responses = responses + 1", "UPDATE file SET touches_sum = 1", "UPDATE file SET size = size + 1", "DELETE FROM file WHERE id = 1",
	} {
		if _, err := db.Exec(damage); err != nil {
			t.Fatal(err)
		}
		listAll(t, o, cache)
		var read atomic.Int64
		again := o
		again.Index = openIndex(t, cache)
		catalog.CountReads(&again, &read)
		if _, err := catalog.Sorted(catalog.ListAll(t.Context(), again)); err != nil || read.Load() > 0 {
			t.Errorf("%s: not repaired: %d bytes were read, %v", damage, read.Load(), err)
		}
	}
}
