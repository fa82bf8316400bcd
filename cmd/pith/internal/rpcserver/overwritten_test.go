package rpcserver_test

import (
	"os"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/rpcserver"
)

// Another program overwrites entries while the session is open. Lines that are
// no longer JSON, or that would end the message, are never sent.
func TestOverwrittenEntries(t *testing.T) {
	for name, piece := range map[string]string{
		"binary":      "\x90\xff@\x00",
		"a new line":  "\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":\"forged\"}\n",
		"white space": "\n \n",
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, t.TempDir(), "x.jsonl", aHeader+anEntry)
			c := dial(t, rpcserver.Options{})
			c.open("open", with{"path": path})
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			at := int64(len(aHeader) + strings.Index(anEntry, ":") + 1)
			if _, err := f.WriteAt([]byte(piece), at); err != nil {
				t.Fatal(err)
			}
			for _, method := range []string{"getEntries", "getTree", "getBranch"} {
				if got, failed := c.try(method, []any{"s1"}); failed == nil {
					t.Errorf("%s = %q; want an error", method, got)
				}
			}
			c.call("version", with{})
		})
	}
}
