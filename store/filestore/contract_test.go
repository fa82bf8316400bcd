package filestore_test

import (
	"context"
	"os"
	"testing"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
	"github.com/pith-sessions/pith/store/storetest"
)

// removing is a file store whose files are deleted by others.
type removing struct{ *filestore.Store }

func (removing) Remove(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return os.Remove(name)
}

func TestContract(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return removing{filestore.New(filestore.Options{})} })
}

func TestContractWithSync(t *testing.T) { // pitfall 42
	storetest.Run(t, func(*testing.T) store.Store {
		return removing{filestore.New(filestore.Options{Sync: filestore.SyncAlways})}
	})
}
