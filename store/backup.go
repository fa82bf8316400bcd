package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// BackupName returns the nth backup name of a log: next to the log, and not a
// session name.
func BackupName(name string, n int) string {
	if n == 0 {
		return name + ".old.bak"
	}
	return fmt.Sprintf("%s.old-%d.bak", name, n)
}

// BackupOf returns the log that a backup name belongs to. ok is false for any
// other name.
func BackupOf(backup string) (name string, ok bool) {
	rest, ok := strings.CutSuffix(backup, ".bak")
	if !ok {
		return "", false
	}
	i := strings.LastIndex(rest, ".old")
	if i <= 0 {
		return "", false
	}
	number := strings.TrimPrefix(rest[i:], ".old")
	if number != "" && (number[0] != '-' || len(number) == 1 || strings.Trim(number[1:], "0123456789") != "") {
		return "", false
	}
	return rest[:i], true
}

const mostBackups = 1000

// ReplaceKeeping replaces the content of a log, as [Store.Replace] does, and
// keeps the old content under the first free backup name.
func ReplaceKeeping(ctx context.Context, s Store, log Log, size int64, fill Fill, name string) (replaced Log, backup string, err error) {
	for n := 0; ; n++ {
		backup = BackupName(name, n)
		replaced, err = s.Replace(ctx, log, size, fill, backup)
		if errors.Is(err, fs.ErrExist) && n < mostBackups {
			continue
		}
		return replaced, backup, err
	}
}
