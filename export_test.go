package pith

import "context"

// SaveTable keeps the table of a session, however small its file is.
func SaveTable(s *Session) error { return s.saveTable(context.Background()) }
