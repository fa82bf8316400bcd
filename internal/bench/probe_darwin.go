package main

import (
	"syscall"
	"time"
)

// ownPeak is the most memory that this process had resident.
func ownPeak() int64 { return usage().Maxrss }

// ownCPU is the CPU time of all threads of this process so far.
func ownCPU() time.Duration {
	u := usage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func usage() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // cannot fail for the process itself
	return u
}

// processCPU is the CPU time of another process; here it cannot be had.
func processCPU(int) (_ time.Duration, ok bool) { return 0, false }
