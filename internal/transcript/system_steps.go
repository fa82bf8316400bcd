package transcript

import "github.com/pith-sessions/pith/internal/envelope"

// HasSystem reports whether the context may hold a system message: one of its
// own, or one recorded at the compaction.
func (plan *Plan) HasSystem(p Path) bool {
	for _, step := range plan.Steps {
		if step.From == FromCompaction || p.At(step.Pos).Role == envelope.RoleSystem {
			return true
		}
	}
	return false
}
