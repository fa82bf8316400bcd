package conversation

// PartsInUse returns the number of exchanges that take memory.
func (m *Model) PartsInUse() int { return len(m.document.parts) }
