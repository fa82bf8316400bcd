package settings

// ConfigDir is where programs keep settings on a system.
func (w Where) ConfigDir(system string) string {
	return w.programs(system, "XDG_CONFIG_HOME", []string{".config"})
}

const MaxSize = maxSize
