package trash_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pith-sessions/pith/internal/housekeeping/trash"
	"github.com/pith-sessions/pith/store"
)

// newFile makes a file with an old time and a mode of its own.
func newFile(t *testing.T, path, content string) string {
	t.Helper()
	past := time.Unix(1_700_000_000, 0)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o600),
		os.Chmod(path, 0o640), os.Chtimes(path, past, past))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// isAt checks that the file of newFile is at path, unchanged.
func isAt(t *testing.T, path, content string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != content {
		t.Errorf("ReadFile(%s) = %q, %v; want %q", path, got, err, content)
		return
	}
	info, err := os.Stat(path)
	if err != nil || info.ModTime().Unix() != 1_700_000_000 || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("Stat(%s) = %v, %v, %v; want mode and time kept", path, info.Mode(), info.ModTime(), err)
	}
}

func isGone(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat(%s) = %v; want that it does not exist", path, err)
	}
}

func put(t *testing.T, path string, o trash.Options) trash.Receipt {
	t.Helper()
	r, err := trash.Put(path, o)
	if err != nil {
		t.Fatalf("Put(%s) = %v; want a receipt", path, err)
	}
	return r
}

// lists checks that the trash lists these ids in this order.
func lists(t *testing.T, o trash.Options, want ...string) []trash.Receipt {
	t.Helper()
	all, err := trash.List(o)
	var got []string
	for _, r := range all {
		got = append(got, r.ID)
	}
	if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("List = %q, %v; want %q", got, err, want)
	}
	return all
}

func TestPutAndRestore(t *testing.T) {
	for _, base := range []string{"log.jsonl", "-rf.jsonl", "info.json", "INFO.json", ".hidden", "a b\nc.jsonl"} {
		t.Run(base, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.Contains(base, "\n") {
				t.Skip("no file can have this name here")
			}
			o := trash.Options{Dir: filepath.Join(t.TempDir(), "data", "trash")}
			path := newFile(t, filepath.Join(t.TempDir(), base), "content\n")
			before := time.Now()
			r := put(t, path, o)
			isGone(t, path)
			sum := sha256.Sum256([]byte("content\n"))
			if r.Path != path || r.Size != 8 || r.SHA256 != hex.EncodeToString(sum[:]) || r.System || r.Time.Before(before.Add(-time.Second)) {
				t.Errorf("Put = %+v; want path, size, sum and time of %s", r, path)
			}
			if all := lists(t, o, r.ID); len(all) == 1 && all[0] != r {
				t.Errorf("List = %+v; want %+v", all[0], r)
			}
			if got, err := trash.Restore(r.ID, o); got != path || err != nil {
				t.Errorf("Restore = %q, %v; want %q", got, err, path)
			}
			isAt(t, path, "content\n")
			lists(t, o)
			if left, err := os.ReadDir(o.Dir); len(left) != 0 || err != nil {
				t.Errorf("ReadDir of the trash = %v, %v; want nothing", left, err)
			}
			if _, err := trash.Restore(r.ID, o); !errors.Is(err, trash.ErrNotFound) {
				t.Errorf("Restore again = %v; want ErrNotFound", err)
			}
		})
	}
}

func TestRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	o := trash.Options{Dir: "trash"}
	newFile(t, "-f", "content\n")
	r := put(t, "-f", o)
	if !filepath.IsAbs(r.Path) {
		t.Errorf("Put(-f) has the path %q; want an absolute one", r.Path)
	}
	if _, err := trash.Restore(r.ID, trash.Options{Dir: "trash", To: "-g"}); err != nil {
		t.Errorf("Restore to -g = %v; want nil", err)
	}
	isAt(t, "-g", "content\n")
}

// A file of the same name as one in the trash, and restoring where something is.
func TestSameNameTwice(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	path := newFile(t, filepath.Join(dir, "log.jsonl"), "first\n")
	first := put(t, path, o)
	newFile(t, path, "second\n")
	second := put(t, path, o)
	lists(t, o, second.ID, first.ID)

	if _, err := trash.Restore(first.ID, o); err != nil {
		t.Errorf("Restore of the first = %v; want nil", err)
	}
	_, err := trash.Restore(second.ID, o)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "another path") {
		t.Errorf("Restore where something is = %v; want ErrExist and what to do", err)
	}
	isAt(t, path, "first\n")
	o.To = filepath.Join(dir, "new", "log.jsonl")
	if got, err := trash.Restore(second.ID, o); got != o.To || err != nil {
		t.Errorf("Restore to another place = %q, %v; want %q", got, err, o.To)
	}
	isAt(t, o.To, "second\n")
	lists(t, o)
}

// A file that cannot be restored keeps its backups: another session is in its
// place, and must not get them.
func TestBackupsStayWithTheirFile(t *testing.T) {
	o := trash.Options{Dir: filepath.Join(t.TempDir(), "trash")}
	path := newFile(t, filepath.Join(t.TempDir(), "a.jsonl"), "now")
	backup := newFile(t, store.BackupName(path, 0), "before")
	r := put(t, path, o)
	isGone(t, backup)
	newFile(t, path, "another")
	if _, err := trash.Restore(r.ID, o); !errors.Is(err, fs.ErrExist) {
		t.Fatalf("Restore = %v; want fs.ErrExist", err)
	}
	isGone(t, backup)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := trash.Restore(r.ID, o); err != nil {
		t.Fatal(err)
	}
	isAt(t, path, "now")
	isAt(t, backup, "before")
}

// oh-my-pi's leftovers of a rewrite go with the session, or its picker would bring the
// deleted session back from one. Those of another session stay.
func TestLeftoversOfOhMyPiGoWithTheirFile(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(t.TempDir(), "trash")}
	path := newFile(t, filepath.Join(dir, "a.jsonl"), "now")
	left := newFile(t, path+".1234567890abcdef.bak", "before")
	other := newFile(t, filepath.Join(dir, "ab.jsonl.1234567890abcdef.bak"), "of another")
	r := put(t, path, o)
	isGone(t, left)
	isAt(t, other, "of another")
	if _, err := trash.Restore(r.ID, o); err != nil {
		t.Fatal(err)
	}
	isAt(t, store.BackupName(path, 0), "before") // where it is not taken for the session
}

func TestRestoreMakesFolders(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	path := newFile(t, filepath.Join(dir, "a", "b", "log.jsonl"), "content\n")
	r := put(t, path, o)
	if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if _, err := trash.Restore(r.ID, o); err != nil {
		t.Errorf("Restore = %v; want nil", err)
	}
	isAt(t, path, "content\n")
	for _, folder := range []string{filepath.Join(dir, "a"), filepath.Join(dir, "a", "b"), o.Dir} {
		if info, err := os.Stat(folder); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			t.Errorf("Stat(%s) = %v, %v; want a private folder", folder, info, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	path := newFile(t, filepath.Join(dir, "log.jsonl"), "content\n")
	link := filepath.Join(dir, "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if _, err := trash.Put(path, trash.Options{}); err == nil || !strings.Contains(err.Error(), "no trash directory") {
		t.Errorf("Put without a folder = %v; want an error", err)
	}
	if _, err := trash.Put(filepath.Join(dir, "missing"), o); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Put of a missing file = %v; want ErrNotExist", err)
	}
	if _, err := trash.Put(link, o); err == nil || !strings.Contains(err.Error(), "symbolic link") {
		t.Errorf("Put of a link = %v; want an error", err)
	}
	if _, err := trash.Put(dir, o); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("Put of a folder = %v; want an error", err)
	}
	blocked := trash.Options{Dir: filepath.Join(path, "trash")}
	if r, err := trash.Put(path, blocked); err == nil || r != (trash.Receipt{}) {
		t.Errorf("Put into a folder that cannot be = %v, %v; want an error", r, err)
	}
	lists(t, o)
	isAt(t, path, "content\n")
	for _, id := range []string{"", ".", "..", "../trash", "nothing", "a/b", filepath.Join(dir, "trash")} {
		if _, err := trash.Restore(id, o); !errors.Is(err, trash.ErrNotFound) {
			t.Errorf("Restore(%q) = %v; want ErrNotFound", id, err)
		}
	}
}

// A crash between two steps leaves an item that is not listed, or a file at two
// places; nothing is lost and the step can be done again.
func TestBrokenOff(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	path := newFile(t, filepath.Join(dir, "log.jsonl"), "content\n")
	r := put(t, path, o)
	item := filepath.Join(o.Dir, r.ID)

	// Put: the empty directory, and info.json without a file.
	if err := os.Mkdir(filepath.Join(o.Dir, "empty"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(item, "log.jsonl"), path); err != nil {
		t.Fatal(err)
	}
	lists(t, o)
	if got, err := trash.Restore(r.ID, o); got != path || err != nil {
		t.Errorf("Restore of an item whose file is in place = %q, %v; want %q", got, err, path)
	}
	isAt(t, path, "content\n")

	// Restore: the file at both places.
	r = put(t, path, o)
	if err := os.Link(filepath.Join(o.Dir, r.ID, "log.jsonl"), path); err != nil {
		t.Fatal(err)
	}
	lists(t, o, r.ID)
	if got, err := trash.Restore(r.ID, o); got != path || err != nil {
		t.Errorf("Restore done again = %q, %v; want %q", got, err, path)
	}
	isAt(t, path, "content\n")
	lists(t, o)
}

func TestListWithDamage(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	good := put(t, newFile(t, filepath.Join(dir, "a.jsonl"), "a"), o)
	bad := put(t, newFile(t, filepath.Join(dir, "b.jsonl"), "b"), o)
	lost := put(t, newFile(t, filepath.Join(dir, "c.jsonl"), "c"), o)
	err := errors.Join(os.WriteFile(filepath.Join(o.Dir, bad.ID, "info.json"), []byte("{"), 0o600),
		os.Remove(filepath.Join(o.Dir, lost.ID, "info.json")), os.WriteFile(filepath.Join(o.Dir, "stray"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	all, err := trash.List(o)
	if len(all) != 1 || all[0] != good {
		t.Errorf("List = %+v; want %+v", all, good)
	}
	if err == nil || !strings.Contains(err.Error(), bad.ID) || !strings.Contains(err.Error(), lost.ID) {
		t.Errorf("List = %v; want an error about %s and %s", err, bad.ID, lost.ID)
	}
}

// info.json is a contract: people and other programs may read it.
func TestInfo(t *testing.T) {
	dir := t.TempDir()
	o := trash.Options{Dir: filepath.Join(dir, "trash")}
	r := put(t, newFile(t, filepath.Join(dir, "a.jsonl"), "a"), o)
	text, err := os.ReadFile(filepath.Join(o.Dir, r.ID, "info.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatalf("info.json: %v\n%s", err, text)
	}
	for key, want := range map[string]any{
		"id": r.ID, "path": r.Path, "size": 1.0, "sha256": r.SHA256, "system": false, "time": r.Time.Format(time.RFC3339Nano),
	} {
		if got[key] != want {
			t.Errorf("info.json has %s = %v; want %v", key, got[key], want)
		}
	}
}

// A file that is written again as it was, as those of the demo are, goes to the trash
// again and comes back.
func TestPutTheSameAgain(t *testing.T) {
	for name, put := range map[string]func(path string, o trash.Options) (trash.Receipt, error){
		"file": trash.Put,
		"session of another agent": func(path string, o trash.Options) (trash.Receipt, error) {
			return trash.PutSet(trash.Set{Path: path}, o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := trash.Options{Dir: filepath.Join(t.TempDir(), "trash")}
			path := filepath.Join(t.TempDir(), "log.jsonl")
			var r trash.Receipt
			for range 2 {
				newFile(t, path, "content\n")
				var err error
				if r, err = put(path, o); err != nil {
					t.Fatal(err)
				}
				isGone(t, path)
			}
			lists(t, o, r.ID)
			if _, err := trash.Restore(r.ID, o); err != nil {
				t.Fatal(err)
			}
			isAt(t, path, "content\n")
		})
	}
}
