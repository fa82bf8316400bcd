package envelope

import (
	"io"
	"runtime"
	"slices"
	"sync"
)

// blockSize balances two costs: smaller blocks stay in the processor's cache,
// larger ones need fewer reads.
const blockSize = 1 << 18

// runOver is the number of bytes by which nearly all lines that start in a
// block extend past its end at most. Unused room costs nothing.
const runOver = 1 << 17

// A scanning reads the blocks of a log in parallel and delivers them one by
// one, in order. The worker that has read the next block delivers it, and the
// waiting blocks after it, so no worker sleeps until there is something to
// deliver.
type scanning struct {
	log         io.ReaderAt
	start, size int64
	count       int // number of blocks
	take        func(b *block, end int64) error

	mu      sync.Mutex
	room    sync.Cond
	claimed int      // blocks that are being read or were read
	taken   int      // blocks delivered
	taking  bool     // a worker is delivering
	waiting []*block // read but not delivered, by number modulo its length
	failed  error    // of the first block, in the order of the log, that failed
}

// scan splits [start, size) into blocks and calls take for each in order, never
// concurrently. It returns when all its goroutines have ended.
func scan(r io.ReaderAt, start, size int64, take func(b *block, end int64) error) error {
	s := &scanning{log: r, start: start, size: size, take: take}
	s.count = int((size - start + blockSize - 1) / blockSize)
	workers := min(runtime.GOMAXPROCS(0), 8, s.count)
	s.room.L = &s.mu
	s.waiting = make([]*block, 4*workers)
	var others sync.WaitGroup
	for range workers - 1 {
		others.Go(s.work)
	}
	s.work()
	others.Wait()
	return s.failed
}

// buffers are reused by programs that open many sessions.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (s *scanning) work() {
	kept := buffers.Get().(*[]byte)
	buf := slices.Grow((*kept)[:0], int(min(blockSize+runOver, s.size-s.start)))
	for {
		i, ok := s.claim()
		if !ok {
			*kept = buf
			buffers.Put(kept)
			return
		}
		b := blocks.Get().(*block)
		b.reset()
		from, to := s.bounds(i)
		buf, b.err = scanBlock(s.log, b, from, to, s.start, s.size, buf)
		buf = trim(buf)
		s.deliver(i, b)
	}
}

// bounds returns the start and the end of a block.
func (s *scanning) bounds(i int) (from, to int64) {
	from = s.start + int64(i)*blockSize
	return from, min(from+blockSize, s.size)
}

// claim returns the next block to read. It waits while too many blocks were
// read that cannot be delivered because one before them takes long.
func (s *scanning) claim() (i int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.failed == nil && s.claimed < s.count && s.claimed-s.taken >= len(s.waiting) {
		s.room.Wait()
	}
	if s.failed != nil || s.claimed >= s.count {
		return 0, false
	}
	s.claimed++
	return s.claimed - 1, true
}

// deliver adds a block that was read, and delivers all blocks that are due.
func (s *scanning) deliver(i int, b *block) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[i%len(s.waiting)] = b
	if s.taking {
		return // the delivering worker will find this one
	}
	s.taking = true
	defer func() { s.taking = false }()
	for s.failed == nil {
		at := s.taken % len(s.waiting)
		due := s.waiting[at]
		if due == nil {
			return
		}
		_, end := s.bounds(s.taken)
		s.mu.Unlock()
		err := due.err
		if err == nil {
			err = s.take(due, end)
		}
		blocks.Put(due)
		s.mu.Lock()
		s.waiting[at] = nil
		s.taken++
		s.failed = err
		s.room.Broadcast()
	}
}

// trim drops a buffer that became large for one very long line.
func trim(buf []byte) []byte {
	if cap(buf) > 4*blockSize {
		return nil
	}
	return buf
}
