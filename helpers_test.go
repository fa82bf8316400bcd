package pith_test

import (
	"github.com/pith-sessions/pith/store"
	"github.com/pith-sessions/pith/store/filestore"
)

func fileStore() store.Store { return filestore.New(filestore.Options{}) }
