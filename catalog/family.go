package catalog

import "path/filepath"

// Children maps the path of each session in a list to the sessions made from
// it, as indexes into the list and in its order. A child names its parent by
// path or by id. If the path matches no session of the list, the id in the file
// name is used, unless several sessions have that id.
func Children(infos []Info) map[string][]int {
	paths, ids := map[string]int{}, map[string]int{} // that are named; -1 for none, -2 for several
	for i := range infos {
		if ref := infos[i].ParentSession; ref != "" {
			paths[filepath.Clean(fromURL(ref))], ids[idInName(ref)] = -1, -1
		}
	}
	if len(paths) == 0 {
		return nil
	}
	for i := range infos {
		if _, named := paths[infos[i].Path]; named {
			paths[infos[i].Path] = i
		}
		switch at, named := ids[infos[i].ID]; {
		case named && at == -1:
			ids[infos[i].ID] = i
		case named:
			ids[infos[i].ID] = -2
		}
	}
	out := map[string][]int{}
	for i := range infos {
		ref := infos[i].ParentSession
		if ref == "" {
			continue
		}
		parent := paths[filepath.Clean(fromURL(ref))]
		if parent < 0 {
			parent = ids[idInName(ref)]
		}
		if parent >= 0 && parent != i {
			out[infos[parent].Path] = append(out[infos[parent].Path], i)
		}
	}
	return out
}
