package lookup

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/pith-sessions/pith/store/filestore"
)

// CwdAnswers stores where the user continues sessions whose working directory
// is gone (pitfall 151).
type CwdAnswers struct{ File string }

func (c CwdAnswers) read() map[string]string {
	answers := map[string]string{}
	data, err := os.ReadFile(c.File)
	if err != nil || json.Unmarshal(data, &answers) != nil {
		return map[string]string{}
	}
	return answers
}

func (c CwdAnswers) Get(cwd string) (string, bool) {
	instead, known := c.read()[cwd]
	if !known {
		return "", false
	}
	_, err := os.Stat(instead)
	return instead, err == nil
}

// Put stores an answer. If that fails, the user is asked again next time.
func (c CwdAnswers) Put(ctx context.Context, cwd, instead string) {
	if c.File == "" {
		return
	}
	_ = filestore.WithDirLock(ctx, filepath.Dir(c.File), func() error {
		answers := c.read()
		answers[cwd] = instead
		data, err := json.MarshalIndent(answers, "", "  ")
		if err != nil {
			return err
		}
		return filestore.WriteFile(c.File, data)
	})
}
