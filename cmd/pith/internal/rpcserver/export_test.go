package rpcserver

import "github.com/pith-sessions/pith/cmd/pith/internal/ops"

// Kinds are the codes and names of all errors.
func Kinds() map[int]string {
	all := map[int]string{}
	for _, k := range append(ops.Kinds(), protocol...) {
		all[k.Code] = k.Name
	}
	return all
}

// Signatures are the parameters of all methods as the reference lists them.
func Signatures() map[string]string {
	all := map[string]string{}
	for name, m := range allMethods(false) {
		all[name] = m.params.String()
	}
	return all
}
