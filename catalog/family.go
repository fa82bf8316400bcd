package catalog

import "path/filepath"

// Children are, for each session of a list by its path, the sessions of the
// list that were made from it, as indexes into the list and in its order. A
// child names its parent by path or by id; where the path leads to no session
// of the list, the id in its name counts, unless several have that id.
func Children(infos []Info) map[string][]int {
	paths := make(map[string]int, len(infos))
	ids := make(map[string]int, len(infos)) // -1 for several
	for i := range infos {
		paths[infos[i].Path] = i
		if _, twice := ids[infos[i].ID]; twice {
			ids[infos[i].ID] = -1
		} else {
			ids[infos[i].ID] = i
		}
	}
	out := map[string][]int{}
	for i := range infos {
		ref := infos[i].ParentSession
		if ref == "" {
			continue
		}
		parent, ok := paths[filepath.Clean(fromURL(ref))]
		if !ok {
			parent, ok = ids[idInName(ref)]
		}
		if ok && parent >= 0 && parent != i {
			out[infos[parent].Path] = append(out[infos[parent].Path], i)
		}
	}
	return out
}
