package treeview

// KeepNotes sets the number of entries whose notes stay in memory.
func (o *Options) KeepNotes(n int) { o.mostKept = n }

// RecentNotes returns the number of notes that are kept around the screen.
func (m *Model) RecentNotes() int { return len(m.notes.recent) }
