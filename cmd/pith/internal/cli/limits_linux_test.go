//go:build !race

// With the race detector a program takes several times the memory.

package cli_test

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pith-sessions/pith/cmd/pith/internal/cli"
)

const (
	hostileHead = `{"type":"session","version":3,"id":"hostile","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p"}` + "\n" +
		`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"hello needle"}}` + "\n"
	hostileLong = `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"`
	hostileEnd  = `"}],"provider":"p","model":"m","usage":{"input":5,"output":6,"totalTokens":11,"cost":{"total":0.5}},"stopReason":"stop","timestamp":1770112802000}}` + "\n" +
		`{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-02-03T10:00:03.000Z","message":{"role":"user","content":"behind it"}}` + "\n"
)

// No listing, search or scan takes more than 56 MB, three times the longest line
// and 1 KB for each session, whatever a file holds, and what is around a hostile
// line is found. A line over 256 MB is a fault that is not kept in memory.
func TestMemoryIsBounded(t *testing.T) {
	words := bytes.Repeat([]byte("lorem ipsum dolor sit amet "), 1<<20/27)
	for name, tt := range map[string]struct {
		head   string
		piece  []byte // written this many times
		times  int
		size   int64 // with a hole, if it is more than that
		end    string
		search string // finds
		count  string // of messages, in a list; "" for no session
	}{
		"NUL bytes":                {piece: make([]byte, 1<<20), times: 100},
		"NUL bytes in a session":   {head: hostileHead, piece: make([]byte, 1<<20), times: 100, search: "needle", count: "1"},
		"a message of 300 MB":      {head: hostileHead + hostileLong, piece: words, times: 300, end: hostileEnd, search: "behind", count: "2"},
		"a message of 80 MB":       {head: hostileHead + hostileLong, piece: words, times: 80, end: hostileEnd, search: "behind", count: "3"},
		"no newline":               {piece: words, times: 100},
		"no newline in a session":  {head: hostileHead, piece: words, times: 100, search: "needle", count: "1"},
		"a hole of 20 GB":          {size: 20 << 30},
		"a hole in a session":      {head: hostileHead, size: 20 << 30, search: "needle", count: "1"},
		"a hole between two lines": {head: hostileHead, size: 20 << 30, end: "\n" + strings.ReplaceAll(hostileHead[strings.Index(hostileHead, "\n")+1:], "needle", "behind"), search: "behind", count: "2"},
		"40 MB of small blocks":    {head: hostileHead + hostileLong, piece: bytes.Repeat([]byte(`"},{"type":"text","text":"x`), 1<<20/27), times: 40, end: hostileEnd, search: "behind", count: "3"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file, err := os.Create(filepath.Join(dir, "2026-02-03T10-00-00-000Z_hostile.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			write := func(p []byte) {
				if _, err := file.Write(p); err != nil {
					t.Fatal(err)
				}
			}
			write([]byte(tt.head))
			for range tt.times {
				write(tt.piece)
			}
			if tt.size > 0 {
				if err := file.Truncate(tt.size); err != nil {
					t.Fatal(err)
				}
				if _, err := file.Seek(0, 2); err != nil {
					t.Fatal(err)
				}
			}
			write([]byte(tt.end))
			for _, args := range [][]string{{"ls", "--all", "--json"}, {"search", "needle OR behind"}, {"usage"}, {"ls", "--projects"}, {"secrets", "--all"}, {"doctor", "--reindex"}} {
				if args[0] == "search" {
					if args[1] = tt.search; tt.search == "" {
						args[1] = "lorem"
					}
				}
				longest := 0
				if size := len(tt.piece) * tt.times; size <= 256<<20 {
					longest = size
				}
				out := bounded(t, longest, dir, args...).out
				switch {
				case slices.Equal(args, []string{"ls", "--all", "--json"}) && tt.count != "" && !strings.Contains(out, `"messageCount":`+tt.count):
					t.Errorf("pith ls = %.300s; want %s messages", out, tt.count)
				case args[0] == "search" && tt.search != "" && !strings.Contains(out, tt.search):
					t.Errorf("pith search %s = %.300s; want a hit", tt.search, out)
				case args[0] == "usage" && tt.count == "3" && !strings.Contains(out, "$0.500"):
					t.Errorf("pith usage = %.300s; want the usage behind the long text", out)
				}
			}
		})
	}
}

// The memory grows with the number of sessions, by 1 KB for each, and not with
// what they hold.
func TestMemoryOfManySessions(t *testing.T) {
	const sessions, messages = 1000, 20
	dir := t.TempDir()
	words := rand.New(rand.NewPCG(1, 2))
	for n := range sessions {
		var text strings.Builder
		fmt.Fprintf(&text, `{"type":"session","version":3,"id":"%08x-0000-4000-8000-000000000000","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/p%d"}`+"\n", n, n%20)
		parent := "null"
		for i := range messages {
			fmt.Fprintf(&text, `{"type":"message","id":"%08x","parentId":%s,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"`, i+1, parent)
			for range 200 {
				fmt.Fprintf(&text, "w%x ", int(math.Exp(words.Float64()*10))) // a few words are frequent, most are rare
			}
			text.WriteString("\"}}\n")
			parent = fmt.Sprintf(`"%08x"`, i+1)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("2026-02-03T10-00-00-000Z_%08x-0000-4000-8000-000000000000.jsonl", n)), []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"doctor", "--reindex"}, {"ls", "--all", "--json", "--limit", "0"}, {"search", "w1f4", "--limit", "3"}, {"usage", "--json"}, {"secrets", "--all"}} {
		if ran := boundedFor(t, sessions, 0, dir, args...); ran.out == "" {
			t.Errorf("pith %q printed nothing", args)
		}
	}
}

// Commands that take a path read no holes either, and stay within the same memory.
func TestHolesAreNotRead(t *testing.T) {
	const behind = "\n" + `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"user","content":"behind it"}}` + "\n"
	for name, tt := range map[string]struct{ head, end string }{
		"nothing else":      {},
		"after a session":   {head: hostileHead},
		"between two lines": {head: hostileHead, end: behind},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "holes.jsonl")
			file, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			_, headErr := file.WriteString(tt.head)
			const hole = 20 << 30
			sizeErr := file.Truncate(hole)
			_, endErr := file.WriteAt([]byte(tt.end), hole)
			if err := errors.Join(headErr, sizeErr, endErr, file.Close()); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{
				{"show", path}, {"tree", path}, {"context", path}, {"diff", path}, {"doctor", path}, {"doctor", "--fix", "--dry-run", path},
				{"secrets", path}, {"clone", path}, {"name", path, "x"}, {"export", path, "-o", filepath.Join(dir, "x.html"), "--yes"},
			} {
				if read := bounded(t, 0, dir, args...).read; read > 1<<28 {
					t.Errorf("pith %q read %d bytes; want that it skips the hole", args, read)
				}
			}
		})
	}
}

// A message of 150 MB is shown by its beginning, with a note that says how to
// see all of it.
func TestMemoryOfHugeMessage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "long.jsonl")
	words := bytes.Repeat([]byte("lorem ipsum dolor sit amet "), 1<<20/27)
	const user = `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"user","content":"`
	_, end, _ := strings.Cut(hostileEnd, "\n")
	text := slices.Concat([]byte(hostileHead+user), bytes.Repeat(words, 150), []byte("\"}}\n"+end))
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"show", path}, {"show", path, "--view", "full"}, {"show", path, "--view", "toc"}, {"show", path, "--budget", "1000"}, {"tree", path}} {
		out := bounded(t, len(text), dir, args...).out
		if !strings.Contains(out, "lorem ipsum") || !strings.Contains(out, "behind it") || len(out) > 1<<20 {
			t.Errorf("pith %q printed %d bytes: %.500s", args, len(out), out)
		}
		if len(args) == 2 && args[0] == "show" && (!strings.Contains(out, " more characters; --max-chars 0 shows all")) {
			t.Errorf("pith %q does not say that it cuts the message: %s", args, out[len(out)-500:])
		}
	}
}

// An image of 100 MB is shown and exported in three times its size.
func TestMemoryOfHugeImage(t *testing.T) {
	const size = 100_000_000
	dir := t.TempDir()
	path := filepath.Join(dir, "image.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriter(file)
	out.WriteString(hostileHead + `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"user","content":[{"type":"image","mimeType":"image/png","data":"`)
	data := base64.NewEncoder(base64.StdEncoding, out)
	io.WriteString(data, "\x89PNG\r\n\x1a\n")
	_, err = io.CopyN(data, rand.NewChaCha8([32]byte{}), size*3/4)
	data.Close()
	out.WriteString("\"}]}}\n")
	if err := errors.Join(err, out.Flush()); err != nil {
		t.Fatal(err)
	}
	if out := bounded(t, size, dir, "show", path).out; !strings.Contains(out, "image/png, 75 MB") {
		t.Errorf("pith show = %.500s; want the size of the image", out)
	}
	bounded(t, size, dir, "tree", path)
	for _, format := range []string{"html", "md", "jsonl"} {
		bounded(t, size, dir, "export", path, "-o", filepath.Join(dir, "x."+format), "--format", format, "--yes")
	}
}

// measured runs pith with its arguments and adds its peak memory without the
// program itself, in KB, and the number of bytes it read to the end of its errors.
func measured() {
	_ = cli.Main() // some commands refuse some files
	status, err := os.ReadFile("/proc/self/status")
	mappings, mapErr := os.ReadFile("/proc/self/smaps")
	counts, countErr := os.ReadFile("/proc/self/io")
	binary, nameErr := os.Executable()
	var peak, program, read int64
	for line := range strings.Lines(string(status)) {
		_, _ = fmt.Sscanf(line, "VmHWM: %d", &peak) // most lines are others
	}
	ofBinary := false
	for line := range strings.Lines(string(mappings)) {
		var size int64
		if first, _, _ := strings.Cut(line, " "); !strings.HasSuffix(first, ":") { // the start of a mapping
			ofBinary = strings.HasSuffix(line, " "+binary+"\n")
		} else if _, err := fmt.Sscanf(line, "Rss: %d", &size); ofBinary && err == nil {
			program += size
		} else if _, err := fmt.Sscanf(line, "Anonymous: %d", &size); ofBinary && err == nil {
			program -= size // data that pith has changed
		}
	}
	_, scanErr := fmt.Sscanf(string(counts), "rchar: %d", &read)
	if err := errors.Join(err, mapErr, countErr, nameErr, scanErr); err != nil || peak == 0 || program == 0 {
		fmt.Fprintln(os.Stderr, err, peak, program)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "\n%d %d", peak-program, read)
}

// bounded runs pith on one session, as boundedFor does.
func bounded(t *testing.T, longest int, dir string, args ...string) measurement {
	t.Helper()
	return boundedFor(t, 1, longest, dir, args...)
}

// boundedFor runs pith with an empty cache and fails if it took too much memory
// for this number of sessions and the size of the longest line.
func boundedFor(t *testing.T, sessions, longest int, dir string, args ...string) (ran measurement) {
	t.Helper()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "measured", append(args, "--session-dir", dir)...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home, "GORACE=")
	var told strings.Builder
	cmd.Stderr = &told
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, told.String())
	}
	// Without the program itself, of which more or less is in memory. On a busy
	// machine garbage is collected later.
	most := 56<<10 + sessions + 3*longest>>10 // KB
	var used int
	_, err = fmt.Sscan(told.String()[strings.LastIndexByte(told.String(), '\n')+1:], &used, &ran.read)
	if err != nil || used > most {
		t.Errorf("pith %q took %d KB, %v; want at most %d", args, used, err, most)
	}
	ran.out = string(out)
	return ran
}

// A measurement is what a command printed and how many bytes it read.
type measurement struct {
	out  string
	read int64
}

// Ctrl+C ends a command in the middle of a file.
func TestInterruptEndsReading(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	line := `{"type":"message","id":"%08x","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"` + strings.Repeat("plain words and nothing else ", 100) + `"}}` + "\n"
	var text strings.Builder
	text.WriteString(hostileHead)
	for i := range 30_000 {
		fmt.Fprintf(&text, line, i)
	}
	if err := os.WriteFile(filepath.Join(dir, "2026-02-03T10-00-00-000Z_hostile.jsonl"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	whole := int64(text.Len())
	cmd := exec.CommandContext(t.Context(), "pith", "secrets", "--all", "--session-dir", dir)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home, "XDG_DATA_HOME="+home)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := int64(0) // the list reads the file once, then its secrets are looked for
	for read < whole+whole/16 {
		read = readBy(t, cmd.Process.Pid)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for ended := false; !ended; {
		read = max(read, readBy(t, cmd.Process.Pid))
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		ended = strings.Contains(string(stat), ") Z ")
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 || read > 2*whole-whole/8 {
		t.Errorf("pith secrets, interrupted: %v, and %d bytes were read of %d; want exit code 130 and not all", err, read, 2*whole)
	}
}

// readBy is how many bytes a process has read.
func readBy(t *testing.T, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if errors.Is(err, fs.ErrPermission) {
		return 0 // it ends, and only root may still look
	}
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "rchar: ")
	number, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
