package mcpserver_test

import (
	"os"
	"path/filepath"
	"testing"
)

// A model asks who wrote a line, and gets the conversation and the request.
func TestBlame(t *testing.T) {
	w := newWorld(t)
	w.session(id(1), w.home, "",
		`{"type":"message","id":"a1","parentId":null,"timestamp":"TIME","message":{"role":"user","content":"make the importer batch its writes","timestamp":1}}`,
		`{"type":"message","id":"a2","parentId":"a1","timestamp":"TIME","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"write","arguments":{"path":"import.go","content":"package importer\n\nconst batchOfWrites = 500\n"}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1}}`,
		`{"type":"message","id":"a3","parentId":"a2","timestamp":"TIME","message":{"role":"toolResult","toolCallId":"c1","toolName":"write","isError":false,"content":[{"type":"text","text":"ok"}],"timestamp":1}}`,
	)
	if err := os.WriteFile(filepath.Join(w.home, "import.go"), []byte("package importer\n\nconst batchOfWrites = 500\n// by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := connect(t, w.options())
	has(t, c.ask("blame", with{"path": "import.go"}), "lines 1-3: ", "/a2", "make the importer batch", "line 4: not written by any known session")
	has(t, c.ask("blame", with{"path": filepath.Join(w.home, "import.go"), "line": 3}), "make the importer batch")
	lacks(t, c.ask("blame", with{"path": "import.go", "line": 4}), "importer batch")
}
