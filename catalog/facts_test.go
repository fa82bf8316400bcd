package catalog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith"
	"github.com/pith-sessions/pith/catalog"
)

const user = `[{"type":"text","text":"hello"}]`

func TestReadInfo(t *testing.T) {
	h := header("s1", "/p")
	tests := map[string]struct {
		text string
		want func(i catalog.Info) bool
		say  string
	}{
		"empty session": {
			session(h),
			func(i catalog.Info) bool {
				return i.MessageCount == 0 && i.FirstMessage == "(no messages)" && i.Modified.Equal(start)
			},
			"no messages, modified at the header's time",
		},
		// pitfall 7
		"byte order mark": {
			"\xef\xbb\xbf" + session(h, message("user", user, 1)),
			func(i catalog.Info) bool { return i.MessageCount == 1 && i.ID == "s1" },
			"listed with one message",
		},
		// pitfall 6
		"CRLF, blank lines, spaces": {
			h + "\r\n\r\n  \n" + message("user", user, 1) + "  \r\n" + message("assistant", user, 2),
			func(i catalog.Info) bool { return i.MessageCount == 2 && i.Findings == 0 },
			"two messages, nothing wrong",
		},
		// pitfall 6
		"NUL bytes around a record": {
			h + "\n\x00\x00" + message("user", user, 1) + "\x00\n" + message("user", user, 2) + "\n",
			func(i catalog.Info) bool { return i.MessageCount == 2 && i.Findings == 1 },
			"two messages, one finding",
		},
		// pitfall 8
		"line separators and CR inside text": {
			session(h, message("user", "\"a\u2028b\u2029c\\rd\"", 1)),
			func(i catalog.Info) bool { return i.MessageCount == 1 && i.FirstMessage == "a\u2028b\u2029c\rd" },
			"one message with all of the text",
		},
		// pitfall 4
		"torn record before a whole one": {
			h + "\n" + message("assistant", user, 1)[:90] + message("user", user, 2) + "\n",
			func(i catalog.Info) bool {
				return i.MessageCount == 1 && i.FirstMessage == "hello" && i.Findings == 1
			},
			"the whole record counts",
		},
		// pitfall 4
		"two records on one line": {
			h + "\n" + message("user", user, 1) + message("user", user, 2) + "\n",
			func(i catalog.Info) bool { return i.MessageCount == 2 && i.Entries == 2 && i.Findings == 1 },
			"both count",
		},
		// pitfall 4
		"whole, torn and whole records on one line": {
			h + "\n" + message("user", `"a"`, 1) + message("user", `"b"`, 2)[:70] + message("user", `"c"`, 3) + message("user", `"d"`, 4) + "\n",
			func(i catalog.Info) bool { return i.Text == "a c d" && i.MessageCount == 3 && i.Findings == 1 },
			"the whole ones count, in order",
		},
		"thousands of records on one line": {
			h + "\n" + strings.Repeat(message("user", `"a"`, 1), 20_000) + "\n",
			func(i catalog.Info) bool { return i.MessageCount == 20_000 && i.Findings == 1 },
			"all count, in linear time",
		},
		"torn behind a block": {
			h + "\n" + strings.SplitAfter(message("user", user, 1), "}")[0],
			func(i catalog.Info) bool { return i.MessageCount == 0 && i.Entries == 0 && i.Findings == 1 },
			"a piece of a record is no entry",
		},
		// pitfall 1
		"torn last line": {
			session(h, message("user", user, 1)) + `{"type":"message","id":"to`,
			func(i catalog.Info) bool { return i.MessageCount == 1 && i.Findings == 1 },
			"one message, one finding",
		},
		// pitfall 16
		"lines that are no entries": {
			session(h, `null`, `17`, `"x"`, `[1]`, `{}`, `{"type":5}`, `{"type":"message"}`, `{"type":"message","message":null}`, `not json`, message("user", user, 1)),
			func(i catalog.Info) bool {
				return i.MessageCount == 3 && i.FirstMessage == "hello" && i.Entries == 3 && i.Findings == 9
			},
			"three messages, nine findings",
		},
		// pitfall 17
		"content of every shape": {
			session(h, message("user", `null`, 1), message("user", `7`, 2), message("user", `{"type":"text","text":"no"}`, 3),
				message("assistant", `[null,5,"x",{"type":"text"},{"type":"text","text":null},{"type":"image"}]`, 4),
				`{"type":"message","timestamp":"2026-02-03T10:05:00.000Z","message":{"role":"user"}}`, message("user", `"at last"`, 6)),
			func(i catalog.Info) bool {
				return i.MessageCount == 6 && i.FirstMessage == "at last" && i.Text == "  at last" && i.Modified.Equal(minute(6))
			},
			"listed, with the only text",
		},
		// pitfall 57
		"only the assistant spoke": {
			session(h, message("toolResult", `"result"`, 1), message("assistant", `[{"type":"thinking","thinking":"x"}]`, 2), message("assistant", user, 3), message("user", `""`, 4)),
			func(i catalog.Info) bool { return i.FirstMessage == "hello" },
			"the assistant's first text",
		},
		// pitfall 57
		"only a developer spoke": {
			session(h, message("developer", `"be brief"`, 1)),
			func(i catalog.Info) bool {
				return i.FirstMessage == "be brief" && i.Text == "" && i.Modified.Equal(start)
			},
			"the developer's text, which is no activity",
		},
		// pitfall 57
		"user after assistant": {
			session(h, message("assistant", `"first"`, 1), message("user", `[{"type":"text","text":"a"},{"type":"text","text":"b"}]`, 2)),
			func(i catalog.Info) bool { return i.FirstMessage == "a b" && i.Text == "first a b" },
			"the user's text",
		},
		// pitfall 58
		"name cleared": {
			session(h, name("one", 1), name("  two\u00a0", 2), name("", 3)),
			func(i catalog.Info) bool { return i.Name == "" },
			"no name",
		},
		"name of another type": {
			session(h, name("one", 1), `{"type":"session_info","id":"x","timestamp":"2026-02-03T10:05:00.000Z","name":5}`),
			func(i catalog.Info) bool { return i.Name == "" && i.ID == "s1" },
			"listed, no name",
		},
		"name given again": {
			session(h, name("one", 1), name("", 2), name("\t two \ufeff", 3)),
			func(i catalog.Info) bool { return i.Name == "two" },
			"the last name, trimmed",
		},
		"title slot of oh-my-pi": {
			session(`{"type":"title","v":1,"title":"slot","updatedAt":"x","pad":"   "}`, header("s1", "/p", `,"title":"in header"`), message("user", user, 1)),
			func(i catalog.Info) bool { return i.Name == "slot" && i.MessageCount == 1 && i.ID == "s1" },
			"the slot's title",
		},
		"title in the header": {
			session(header("s1", "/p", `,"title":"in header"`), `{"type":"title_change","id":"a","timestamp":"2026-02-03T10:05:00.000Z","title":"changed"}`),
			func(i catalog.Info) bool { return i.Name == "in header" },
			"the header's title",
		},
		"title of a title_change": {
			session(h, `{"type":"title_change","id":"a","timestamp":"2026-02-03T10:05:00.000Z","title":"changed"}`),
			func(i catalog.Info) bool { return i.Name == "changed" },
			"the last title",
		},
		"cleared name beside a title": {
			session(header("s1", "/p", `,"title":"in header"`), name("", 1)),
			func(i catalog.Info) bool { return i.Name == "" },
			"cleared",
		},
		// pitfall 53
		"time of a message": {
			session(h, message("user", user, 5), message("assistant", user, 3), message("toolResult", user, 50), name("later", 60)),
			func(i catalog.Info) bool { return i.Modified.Equal(minute(5)) },
			"the latest of user and assistant",
		},
		"time without a number": {
			session(h, `{"type":"message","id":"a","timestamp":"2026-02-03T10:07:00.000Z","message":{"timestamp":"2026-02-03T11:00:00.000Z","role":"user","content":"x"}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(minute(7)) },
			"the entry's time",
		},
		"time not at the end, a fraction": {
			session(h, `{"type":"message","id":"a","timestamp":"2026-02-03T10:07:00.000Z","message":{"timestamp":1770113400000.75,"role":"user","content":"x"}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(time.UnixMilli(1770113400000)) },
			"the message's time",
		},
		"time in a nested object at the end": {
			session(h, `{"type":"message","id":"a","timestamp":"2026-02-03T10:07:00.000Z","message":{"role":"user","content":"x","meta":{"a":1,"timestamp":1870113400000}}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(minute(7)) },
			"the entry's time",
		},
		"time in the text": {
			session(h, `{"type":"message","id":"a","timestamp":"2026-02-03T10:07:00.000Z","message":{"role":"user","content":",\"timestamp\":1870113400000}"}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(minute(7)) },
			"the entry's time",
		},
		"time before other members": {
			session(h, `{"type":"message","id":"a","timestamp":"2026-02-03T10:07:00.000Z","message":{"role":"assistant","content":[],"timestamp":1770113400000,"responseId":"r","errorMessage":"x"}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(minute(10)) },
			"the message's time",
		},
		"time before odd members": {
			session(h, `{"type":"message","id":"a","timestamp":"2026-02-03T10:07:00.000Z","message":{"role":"assistant","content":[],"timestamp":1770113400000,"a\"b":"\"c","d":",\"timestamp\":17","e":null , "f" : "g"}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(minute(10)) },
			"the message's time",
		},
		"time given twice": {
			session(h, `{"type":"message","id":"a","timestamp":"2026-02-03T10:07:00.000Z","message":{"role":"user","content":"x","timestamp":1770113400000,"timestamp":"later","z":"z"}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(minute(7)) },
			"the entry's time, because the last member is no number",
		},
		// pitfall 22
		"time beyond all dates": {
			session(h, `{"type":"message","id":"a","timestamp":"2026-02-03T10:07:00.000Z","message":{"role":"user","content":"x","timestamp":99999999999999999999}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(minute(7)) },
			"the entry's time",
		},
		"times that are no dates": {
			session(h, `{"type":"message","id":"a","timestamp":"soon","message":{"role":"user","content":"x","timestamp":null}}`),
			func(i catalog.Info) bool { return i.Modified.Equal(start) },
			"the header's time",
		},
		// pitfall 23
		"no cwd": {
			session(`{"type":"session","id":"s1","timestamp":"2026-02-03T10:00:00.000Z"}`, message("user", user, 1)),
			func(i catalog.Info) bool { return i.Cwd == "" && i.Version == 1 && i.MessageCount == 1 },
			"version 1 without a directory",
		},
		// pitfall 21
		"newer version": {
			session(strings.Replace(h, `"version":3`, `"version":5`, 1), message("user", user, 1)),
			func(i catalog.Info) bool {
				return i.Version == 5 && i.FirstMessage == "hello" && i.Modified.Equal(minute(1))
			},
			"listed",
		},
		"version 4": {
			session(`{"v":4,"kind":"header","id":"s4","storageVersion":1,"createdAt":1770112800000,"cwd":"/p4","parentSessionId":"s3"}`, `{"seq":1,"timestamp":5}`),
			func(i catalog.Info) bool {
				return i.Version == 4 && i.ID == "s4" && i.Cwd == "/p4" && i.ParentSession == "s3" && i.Created.Equal(start) &&
					i.MessageCount == 0 && i.FirstMessage == catalog.NoMessages && i.Modified.Equal(i.FileTime) && i.Size > 100
			},
			"what its header says",
		},
		// pitfall 14
		"header behind a broken line": {
			session("brok{en", h, message("user", user, 1)),
			func(i catalog.Info) bool { return i.ID == "s1" && i.MessageCount == 1 && i.Findings == 1 },
			"listed",
		},
		// pitfall 14
		"header of 2 MB": {
			session(header("s1", "/p", `,"extra":"`+strings.Repeat("x", 2<<20)+`"`), message("user", user, 1)),
			func(i catalog.Info) bool { return i.ID == "s1" && i.MessageCount == 1 },
			"listed",
		},
		// pitfall 15
		"second header": {
			session(h, header("s2", "/other"), message("user", user, 1)),
			func(i catalog.Info) bool { return i.ID == "s1" && i.Cwd == "/p" && i.Entries == 1 && i.Findings == 1 },
			"the first header counts",
		},
		// pitfall 10
		"line of 5 MB": {
			session(h, message("user", `"`+strings.Repeat("é", 2_500_000)+`"`, 1), message("assistant", user, 2)),
			func(i catalog.Info) bool { return i.MessageCount == 2 && len(i.FirstMessage) == 5_000_000 },
			"both messages",
		},
		"model of the last answer": {
			session(h, `{"type":"model_change","id":"a","timestamp":"2026-02-03T10:05:00.000Z","provider":"p","modelId":"m"}`,
				`{"type":"message","id":"b","timestamp":"2026-02-03T10:05:00.000Z","message":{"role":"assistant","content":[],"provider":"q","model":"n/1"}}`),
			func(i catalog.Info) bool { return i.Model == "q/n/1" },
			"the assistant's model",
		},
		"model chosen after the last answer": {
			session(h, `{"type":"message","id":"b","timestamp":"2026-02-03T10:05:00.000Z","message":{"role":"assistant","content":[],"provider":"q","model":"n"}}`,
				`{"type":"model_change","id":"a","timestamp":"2026-02-03T10:05:00.000Z","model":"p/m"}`),
			func(i catalog.Info) bool { return i.Model == "p/m" },
			"the model chosen",
		},
		"internal": {
			session(header("s1", "/p", `,"internal":true,"workflow":{"runId":"r","stageId":"s","stageName":"n"}`)),
			func(i catalog.Info) bool { return i.Internal },
			"marked",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			info := readText(t, tt.text)
			if !tt.want(info) {
				info.Text, info.FirstMessage = cut(info.Text), cut(info.FirstMessage)
				t.Errorf("ReadInfo(%.400q) = %+v; want %s", tt.text, info, tt.say)
			}
			// The facts do not depend on whether the text is asked for, but for the
			// length of the first message.
			bare, err := readInfo(info.Path, false)
			if runes := []rune(info.FirstMessage); len(runes) > 1001 {
				info.FirstMessage = string(runes[:1001])
			}
			if bare.Text != "" {
				t.Errorf("ReadInfo without text has Text %.80q", bare.Text)
			}
			bare.Text, bare.FirstMessage = info.Text, cut(bare.FirstMessage)
			info.FirstMessage = cut(info.FirstMessage)
			if err != nil || bare.MessageCount != info.MessageCount || bare.FirstMessage != info.FirstMessage || bare.Modified != info.Modified {
				t.Errorf("ReadInfo without text = %+v, %v; with text %+v", bare, err, info)
			}
		})
	}
}

func cut(s string) string { return s[:min(len(s), 200)] }

// pitfall 22
func TestTimesFallBackToTheFile(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "s.jsonl"), `{"type":"session","id":"s1","timestamp":"never"}`+"\n")
	if err := os.Chtimes(path, minute(9), minute(9)); err != nil {
		t.Fatal(err)
	}
	info, err := readInfo(path, false)
	if err != nil || !info.Created.Equal(minute(9)) || !info.Modified.Equal(minute(9)) {
		t.Errorf("ReadInfo = created %v, modified %v, %v; want the file's time %v", info.Created, info.Modified, err, minute(9))
	}
}

// pitfall 12, pitfall 49
func TestReadInfoRefuses(t *testing.T) {
	tests := map[string]string{
		"empty":           "",
		"text":            "hello\nworld\n",
		"message first":   `{"type":"message"}` + "\n" + header("s1", "/p") + "\n",
		"no id":           `{"type":"session","version":3,"timestamp":"2026-02-03T10:00:00.000Z"}` + "\n",
		"event stream":    `{"version":1,"recordType":"message","runId":"r","agent":"a"}` + "\n",
		"title slot only": `{"type":"title","v":1,"title":"x"}` + "\n",
		"numbers":         "1\n2\n3\n",
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "s.jsonl"), text)
			_, err := readInfo(path, true)
			var file *pith.FileError
			if !errors.Is(err, pith.ErrNotSession) || !errors.As(err, &file) || file.Path != path {
				t.Errorf("ReadInfo(%q) = %v, want ErrNotSession with the path", text, err)
			}
		})
	}
	t.Run("folder", func(t *testing.T) {
		if _, err := readInfo(t.TempDir(), true); !errors.Is(err, pith.ErrNotSession) {
			t.Errorf("ReadInfo(folder) = %v, want ErrNotSession", err)
		}
	})
	t.Run("nothing", func(t *testing.T) {
		if _, err := readInfo(filepath.Join(t.TempDir(), "x"), true); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("ReadInfo(nothing) = %v, want fs.ErrNotExist", err)
		}
	})
}

// readInfo are the facts of the session in a file, without an index.
func readInfo(path string, text bool) (catalog.Info, error) {
	return catalog.Facts(context.Background(), catalog.Ref{Path: path}, catalog.Options{Text: text})
}
