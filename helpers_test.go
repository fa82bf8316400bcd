package pith_test

import (
	"time"

	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

func fileStore() store.Store { return filestore.New(filestore.Options{}) }

func clock() time.Time { return time.Date(2026, 2, 3, 22, 52, 6, 0, time.UTC) }
