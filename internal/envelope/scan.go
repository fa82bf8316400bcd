package envelope

import (
	"io"
	"runtime"
	"sync"
	"sync/atomic"
)

// blockSize balances two costs: smaller blocks stay in the processor's cache,
// larger ones need fewer reads.
const blockSize = 1 << 18

// scan cuts [start, size) into blocks, reads them side by side and hands them
// to add in order. It returns when all its goroutines have ended.
func scan(r io.ReaderAt, start, size int64, add func(io.ReaderAt, *block, int64) error) error {
	count := int((size - start + blockSize - 1) / blockSize)
	workers := min(runtime.GOMAXPROCS(0), 8, count)
	bounds := func(i int) (int64, int64) {
		from := start + int64(i)*blockSize
		return from, min(from+blockSize, size)
	}
	read := func(i int, buf []byte) (*block, []byte, error) {
		b := blocks.Get().(*block)
		b.reset()
		from, to := bounds(i)
		used, err := scanBlock(r, b, from, to, start, size, buf)
		return b, trim(used), err
	}
	take := func(i int, b *block) error {
		_, to := bounds(i)
		err := add(r, b, to)
		blocks.Put(b)
		return err
	}
	if workers > 1 {
		return parallel(workers, count, read, take)
	}
	var buf []byte
	for i := range count {
		b, used, err := read(i, buf)
		if err != nil {
			return err
		}
		buf = used
		if err := take(i, b); err != nil {
			return err
		}
	}
	return nil
}

type result struct {
	block *block
	err   error
}

// parallel runs read for every block on several goroutines and take, in the
// caller's, for each result in order. At most a few results wait at a time.
func parallel(workers, count int, read func(int, []byte) (*block, []byte, error), take func(int, *block) error) error {
	var (
		wg      sync.WaitGroup
		claimed atomic.Int64
		stopped atomic.Bool
		ahead   = make(chan struct{}, 4*workers)
		slots   = make([]chan result, count)
	)
	for i := range slots {
		slots[i] = make(chan result, 1)
	}
	for range workers {
		wg.Go(func() {
			var buf []byte
			for !stopped.Load() {
				ahead <- struct{}{}
				i := int(claimed.Add(1)) - 1
				if i >= count {
					return
				}
				var b *block
				var err error
				b, buf, err = read(i, buf)
				slots[i] <- result{b, err}
			}
		})
	}
	var failed error
	for i := range slots {
		res := <-slots[i]
		<-ahead
		if failed = res.err; failed == nil {
			failed = take(i, res.block)
		}
		if failed != nil {
			break
		}
	}
	stopped.Store(true)
	for range workers { // wake those that wait for room
		select {
		case <-ahead:
		default:
		}
	}
	wg.Wait()
	return failed
}

// trim lets go of a buffer that one very long line made large.
func trim(buf []byte) []byte {
	if cap(buf) > 4*blockSize {
		return nil
	}
	return buf
}
