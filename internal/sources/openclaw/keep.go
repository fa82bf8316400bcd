package openclaw

// DeleteCommand implements [sources.Commander]. OpenClaw removes old sessions by its
// own rules, and single ones in its pages.
func (Program) DeleteCommand(string) string { return "openclaw sessions cleanup" }
