//go:build unix && !linux

package filestore

// Writer is a process of another program that has a file open for writing; 0 when
// none is found. told is false when the system does not tell.
func Writer(name string) (pid int, told bool) { return askLsof(name) }
