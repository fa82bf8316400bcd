package settings

// ConfigDir is where programs keep settings on a system.
func (w Where) ConfigDir(system string) string { return w.configDir(system) }

const MaxSize = maxSize
