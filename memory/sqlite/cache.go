package sqlite

import (
	"container/list"
	"runtime"
	"sync"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
)

// parallelFrom is the number of multiplications from which a scan is split.
const parallelFrom = 4 << 20

// cache holds the vectors of scopes that were searched, the least recently
// used going first. A block is right for one generation of the file; writes of
// this process carry it to the next, writes of another make it stale.
type cache struct {
	mu     sync.RWMutex
	limit  int // bytes; negative is off
	blocks map[longterm.Scope]*block

	lru     sync.Mutex // guards order, which searches change under mu.RLock
	order   list.List  // of scopes, most recently used first
	entries map[longterm.Scope]*list.Element
}

// block is the vectors of one scope, one after the other.
type block struct {
	generation int64
	dims       int
	rids       []int64
	expires    []string
	vecs       []float32
	pos        map[int64]int
}

// delta is a change of one memory.
type delta struct {
	rid     int64
	scope   longterm.Scope
	vector  []float32 // nil: unchanged
	expires string
	gone    bool
}

// perEntry is about what an entry takes besides its vector.
const perEntry = 64

func (b *block) bytes() int { return 4*cap(b.vecs) + perEntry*cap(b.rids) }

func (b *block) vector(i int) []float32 { return b.vecs[i*b.dims : (i+1)*b.dims] }

func (b *block) append(rid int64, expires string, v []float32) {
	b.pos[rid] = len(b.rids)
	b.rids = append(b.rids, rid)
	b.expires = append(b.expires, expires)
	b.vecs = append(b.vecs, v...)
}

func (b *block) apply(d delta) (ok bool) {
	i, have := b.pos[d.rid]
	switch {
	case d.gone && have:
		last := len(b.rids) - 1
		b.rids[i], b.expires[i] = b.rids[last], b.expires[last]
		copy(b.vector(i), b.vector(last))
		b.pos[b.rids[i]] = i
		delete(b.pos, d.rid)
		b.rids, b.expires, b.vecs = b.rids[:last], b.expires[:last], b.vecs[:last*b.dims]
	case d.gone:
	case d.vector != nil && len(d.vector) != b.dims:
		return false
	case have:
		b.expires[i] = d.expires
		if d.vector != nil {
			copy(b.vector(i), d.vector)
		}
	case d.vector != nil:
		b.append(d.rid, d.expires, d.vector)
	default:
		return false
	}
	return true
}

// change carries the blocks over a commit. The caller holds mu.
func (c *cache) change(generation int64, ds []delta) {
	for scope, b := range c.blocks {
		if b.generation != generation-1 {
			continue // stale; the next search of it notices
		}
		ok := true
		for _, d := range ds {
			if scope.Contains(d.scope) {
				ok = ok && b.apply(d)
			}
		}
		if ok {
			b.generation = generation
		}
	}
}

// get returns the block of a scope if it is right for the generation. The
// caller holds mu for reading.
func (c *cache) get(s longterm.Scope, generation int64) *block {
	b := c.blocks[s]
	if b == nil || b.generation != generation {
		return nil
	}
	c.lru.Lock()
	if e := c.entries[s]; e != nil {
		c.order.MoveToFront(e)
	}
	c.lru.Unlock()
	return b
}

func (c *cache) has(s longterm.Scope, generation int64) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.get(s, generation) != nil
}

// put keeps a block and drops others until all fit.
func (c *cache) put(s longterm.Scope, b *block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Lock()
	defer c.lru.Unlock()
	if c.blocks == nil {
		c.blocks = make(map[longterm.Scope]*block)
		c.entries = make(map[longterm.Scope]*list.Element)
	}
	if e := c.entries[s]; e != nil {
		c.order.MoveToFront(e)
	} else {
		c.entries[s] = c.order.PushFront(s)
	}
	c.blocks[s] = b
	total := 0
	for _, b := range c.blocks {
		total += b.bytes()
	}
	for total > c.limit && c.order.Len() > 0 {
		e := c.order.Back()
		old := e.Value.(longterm.Scope)
		total -= c.blocks[old].bytes()
		c.order.Remove(e)
		delete(c.entries, old)
		delete(c.blocks, old)
	}
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Lock()
	defer c.lru.Unlock()
	c.blocks, c.entries = nil, nil
	c.order.Init()
}

// scan finds the k vectors closest to q among those that are shown.
func (b *block) scan(q []float32, k int, shown func(i int) bool) []near {
	n := len(b.rids)
	parts := 1
	if n*b.dims >= parallelFrom {
		parts = min(runtime.GOMAXPROCS(0), 8)
	}
	heaps := make([]best, parts)
	var wg sync.WaitGroup
	for p := range parts {
		heaps[p].k = k
		wg.Go(func() {
			for i := p * n / parts; i < (p+1)*n/parts; i++ {
				if shown(i) {
					heaps[p].add(near{b.rids[i], dot(q, b.vector(i))})
				}
			}
		})
	}
	wg.Wait()
	all := heaps[0]
	for _, h := range heaps[1:] {
		for _, n := range h.hits {
			all.add(n)
		}
	}
	return all.hits
}
