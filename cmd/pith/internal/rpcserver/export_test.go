package rpcserver

// Kinds are the codes and names of all errors.
func Kinds() map[int]string {
	all := map[int]string{}
	for _, k := range kinds {
		all[k.code] = k.name
	}
	return all
}
