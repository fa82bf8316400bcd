package format_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/format"
)

const headerLine = `{"type":"session","version":3,"id":"0195","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/p"}`

func TestDecodeHeader(t *testing.T) {
	tests := map[string]struct {
		line string
		want format.Header
	}{
		"version 3": {
			headerLine,
			format.Header{Version: 3, ID: "0195", Timestamp: "2026-02-03T22:52:06.410Z", Cwd: "/p"},
		},
		"version 1": { // F20
			`{"type":"session","id":"a","timestamp":"t","cwd":"/p","provider":"anthropic","modelId":"m","thinkingLevel":"off","branchedFrom":"/old.jsonl"}`,
			format.Header{Version: 1, ID: "a", Timestamp: "t", Cwd: "/p", Provider: "anthropic", ModelID: "m", ThinkingLevel: "off", BranchedFrom: "/old.jsonl"},
		},
		"parent": {
			`{"type":"session","version":2,"id":"a","parentSession":"/x.jsonl","branchedFrom":"/y.jsonl"}`,
			format.Header{Version: 2, ID: "a", ParentSession: "/x.jsonl", BranchedFrom: "/y.jsonl"},
		},
		"pi_agent_rust": {
			`{"type":"session","version":3,"id":"a","leafId":"","additionalRoots":["/r"]}`,
			format.Header{Version: 3, ID: "a", HasLeafID: true},
		},
		"oh-my-pi": {
			`{"type":"session","version":3,"id":"V1StGXR8_Z5j","title":"T","titleSource":"auto","previousSessionFiles":[]}`,
			format.Header{Version: 3, ID: "V1StGXR8_Z5j", Title: "T"},
		},
		"Atomic, internal": {
			`{"type":"session","version":3,"id":"a","internal":true,"workflow":{"runId":"r","stageId":"s","stageName":"n"}}`,
			format.Header{Version: 3, ID: "a", Internal: true, Workflow: &format.Workflow{RunID: "r", StageID: "s", StageName: "n"}},
		},
		"Atomic, incomplete": {
			`{"type":"session","version":3,"id":"a","internal":true,"workflow":{"runId":"r","stageId":"","stageName":"n"}}`,
			format.Header{Version: 3, ID: "a"},
		},
		"missing cwd and timestamp": { // pitfalls 22, 23
			`{"type":"session","id":"a"}`,
			format.Header{Version: 1, ID: "a"},
		},
		"wrong types": {
			`{"type":"session","version":"3","id":"","timestamp":5,"cwd":null,"leafId":7,"workflow":[]}`,
			format.Header{Version: 1},
		},
		"version that is too new": { // pitfall 21
			`{"type":"session","version":7,"id":"a"}`,
			format.Header{Version: 7, ID: "a"},
		},
		"version with a fraction": {`{"type":"session","version":3.5,"id":"a"}`, format.Header{Version: 4, ID: "a"}},
		"version zero":            {`{"type":"session","version":0,"id":"a"}`, format.Header{Version: 1, ID: "a"}},
		"version null":            {`{"type":"session","version":null,"id":"a"}`, format.Header{Version: 1, ID: "a"}},
		"huge version":            {`{"type":"session","version":1e300,"id":"a"}`, format.Header{Version: 1<<31 - 1, ID: "a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := format.DecodeHeader([]byte(tt.line))
			if err != nil {
				t.Fatalf("DecodeHeader(%s): %v", tt.line, err)
			}
			compareValues(t, "DecodeHeader", *got, tt.want)
			if string(got.Raw) != tt.line {
				t.Errorf("Raw = %s, want %s", got.Raw, tt.line)
			}
		})
	}
}

func TestDecodeHeaderErrors(t *testing.T) {
	tests := map[string]struct {
		line string
		want error
	}{
		"torn":         {`{"type":"session","id":"a`, format.ErrSyntax},
		"empty":        {``, format.ErrSyntax},
		"no object":    {`[]`, format.ErrSyntax},
		"entry":        {`{"type":"message","id":"a"}`, format.ErrNotSession},
		"title slot":   {`{"type":"title","v":1,"title":"x","pad":"  "}`, format.ErrNotSession},
		"no id":        {`{"type":"session","version":3}`, format.ErrNotSession},
		"id is number": {`{"type":"session","version":3,"id":5}`, format.ErrNotSession},
		"version 4":    {`{"v":4,"kind":"header","id":"a","storageVersion":1,"createdAt":1,"cwd":"/p"}`, format.ErrTooNew},
	}
	all := []error{format.ErrSyntax, format.ErrTorn, format.ErrTooNew, format.ErrNotSession}
	for name, tt := range tests {
		_, err := format.DecodeHeader([]byte(tt.line))
		for _, sentinel := range all {
			if errors.Is(err, sentinel) != (sentinel == tt.want) {
				t.Errorf("%s: DecodeHeader(%s) = %v, errors.Is(%q) is %v", name, tt.line, err, sentinel, sentinel != tt.want)
			}
		}
	}
}

// pitfall 7: a byte order mark before the header is accepted.
func TestDecodeHeaderByteOrderMark(t *testing.T) {
	h, err := format.DecodeHeader([]byte("\ufeff" + headerLine))
	if err != nil || h.ID != "0195" || string(h.Raw) != headerLine {
		t.Errorf("DecodeHeader(mark and header) = %+v, %v, want the header without the mark", h, err)
	}
}

// pitfall 21: what a newer program wrote is not written to.
func TestCheckWritable(t *testing.T) {
	for version, want := range map[int]error{1: nil, 2: nil, 3: nil, 4: format.ErrTooNew, 99: format.ErrTooNew} {
		if err := (&format.Header{Version: version}).CheckWritable(); !errors.Is(err, want) {
			t.Errorf("Header{Version: %d}.CheckWritable() = %v, want %v", version, err, want)
		}
	}
}

func TestHeaderParentAndTime(t *testing.T) {
	if got := (&format.Header{ParentSession: "a", BranchedFrom: "b"}).Parent(); got != "a" {
		t.Errorf("Parent() = %q, want %q", got, "a")
	}
	if got := (&format.Header{BranchedFrom: "b"}).Parent(); got != "b" {
		t.Errorf("Parent() = %q, want %q", got, "b")
	}
	for _, stamp := range []string{"", "Invalid Date", "yesterday"} { // pitfall 22
		if at, ok := (&format.Header{Timestamp: stamp}).Time(); ok {
			t.Errorf("Header{Timestamp: %q}.Time() = %v, true, want false", stamp, at)
		}
	}
}

func TestNeedsMigration(t *testing.T) {
	for version, want := range map[int]bool{1: true, 2: true, 3: false, 4: false} {
		if got := (&format.Header{Version: version}).NeedsMigration(); got != want {
			t.Errorf("Header{Version: %d}.NeedsMigration() = %v, want %v", version, got, want)
		}
	}
}

func TestAppendHeader(t *testing.T) {
	tests := map[string]struct {
		h    format.Header
		want string
	}{
		"plain": {
			format.Header{Version: 3, ID: "0195", Timestamp: "2026-02-03T22:52:06.410Z", Cwd: "/p"},
			headerLine,
		},
		"parent, version filled in": {
			format.Header{ID: "a", Timestamp: "t", Cwd: "C:\\p", ParentSession: "/x.jsonl"},
			`{"type":"session","version":3,"id":"a","timestamp":"t","cwd":"C:\\p","parentSession":"/x.jsonl"}`,
		},
		"fields count, not Raw": {
			format.Header{ID: "a", Timestamp: "t", Raw: []byte(headerLine), Title: "not pi's"},
			`{"type":"session","version":3,"id":"a","timestamp":"t","cwd":""}`,
		},
		"internal": {
			format.Header{ID: "a", Timestamp: "t", Internal: true, Workflow: &format.Workflow{RunID: "r", StageID: "s", StageName: "n"}},
			`{"type":"session","version":3,"id":"a","timestamp":"t","cwd":"","internal":true,"workflow":{"runId":"r","stageId":"s","stageName":"n"}}`,
		},
	}
	for name, tt := range tests {
		if got := format.AppendHeader(nil, &tt.h); string(got) != tt.want {
			t.Errorf("%s: AppendHeader = %s\nwant %s", name, got, tt.want)
		}
	}
}

func TestClassifyFirst(t *testing.T) {
	slot := `{"type":"title","v":1,"title":"T","source":"user","updatedAt":"u","pad":"` + strings.Repeat(" ", 180) + `"}`
	tests := []struct {
		line string
		want format.FirstLine
	}{
		{headerLine, format.FirstHeader},
		{"\ufeff" + headerLine, format.FirstHeader},
		{`{"version":9,"type":"session"}`, format.FirstHeader},
		{slot, format.FirstTitleSlot},
		{`{"v":4,"kind":"header","id":"a"}`, format.FirstV4},
		{`{"kind":"header","v":5}`, format.FirstV4},
		{`{"kind":"header","v":3}`, format.FirstOther},
		{`{"kind":"entry","v":4}`, format.FirstOther},
		{`{"type":"message"}`, format.FirstOther},
		{`{}`, format.FirstOther},
		{`[]`, format.FirstOther},
		{`5`, format.FirstOther},
	}
	for _, tt := range tests {
		if got := format.ClassifyFirst([]byte(tt.line)); got != tt.want {
			t.Errorf("ClassifyFirst(%s) = %v, want %v", tt.line, got, tt.want)
		}
	}
	got, ok := format.DecodeTitleSlot([]byte(slot))
	if !ok || got != "T" {
		t.Errorf("DecodeTitleSlot(%s) = %q, %v, want T, true", slot, got, ok)
	}
	if got, ok := format.DecodeTitleSlot([]byte(headerLine)); ok {
		t.Errorf("DecodeTitleSlot(header) = %q, true, want false", got)
	}
}

func TestLineError(t *testing.T) {
	err := error(&format.LineError{Line: 12, Offset: 345, Err: format.ErrTorn})
	if got, want := err.Error(), "line 12 (byte 345): torn final line"; got != want {
		t.Errorf("Error() = %q, want %q", got, want)
	}
	if !errors.Is(err, format.ErrTorn) || errors.Is(err, format.ErrSyntax) {
		t.Errorf("errors.Is(%v) does not tell ErrTorn from ErrSyntax", err)
	}
}
