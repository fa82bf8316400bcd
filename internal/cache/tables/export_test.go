package tables

// Restart makes the package believe that the system was started again.
func Restart(id string) (undo func()) {
	was := bootID
	bootID = func() string { return id }
	return func() { bootID = was }
}
