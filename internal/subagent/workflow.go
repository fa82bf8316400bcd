package subagent

// graphRuns returns the runs of a workflow's graph and its list of children
// that have no result: they wait, were never started, or are running.
func graphRuns(details object, known []Run) []Run {
	byIndex, byKey := map[int]bool{}, map[string]bool{}
	for i := range known {
		byIndex[known[i].Index] = true
		byKey[known[i].Key] = true
		byKey[known[i].RunID] = true
	}
	var runs []Run
	for _, child := range details.object("workflowChildren").objects("children") {
		run := resultRun(len(known)+len(runs), child)
		run.Key = child.text("childId")
		if byKey[run.Key] || run.RunID != "" && byKey[run.RunID] {
			continue
		}
		byKey[run.Key] = true
		runs = append(runs, run)
	}
	if len(runs) > 0 {
		return runs
	}
	return nodeRuns(details.object("workflowGraph"), byIndex)
}

// nodeRuns returns the nodes of a graph that represent one agent each and whose
// number is unused. It does not recurse, because a file may nest the graph to
// any depth.
func nodeRuns(graph object, taken map[int]bool) []Run {
	type level struct {
		node  object
		depth int
	}
	var todo []level
	push := func(o object, name string, depth int) {
		if depth > mostNesting {
			return
		}
		var list []level
		for _, node := range o.objects(name) {
			list = append(list, level{node, depth})
		}
		for i := len(list) - 1; i >= 0; i-- {
			todo = append(todo, list[i])
		}
	}
	push(graph, "nodes", 0)
	var runs []Run
	for len(todo) > 0 && len(runs) < mostElements {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		push(at.node, "children", at.depth+1)
		index, ok := at.node.integer("flatIndex")
		if !ok || index < 0 || index > mostElements || at.node.text("agent") == "" || taken[int(index)] {
			continue
		}
		taken[int(index)] = true
		run := Run{
			Index: int(index), Agent: at.node.text("agent"), Key: at.node.text("label"),
			Status: statusOf(at.node), Reason: at.node.text("error"),
		}
		runs = append(runs, run)
	}
	return runs
}
