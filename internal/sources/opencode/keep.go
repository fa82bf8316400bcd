package opencode

// DeleteCommand implements [sources.Commander].
func (Program) DeleteCommand(id string) string { return "opencode session delete " + id }
