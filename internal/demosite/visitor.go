package demosite

import (
	"slices"
	"sync"
)

// visitor is all the site knows about one visitor. Methods take the lock;
// what they return is a copy.
type visitor struct {
	mu      sync.Mutex
	flash   string
	lines   []cartLine
	orders  []Order
	bought  int // orders ever placed, the forgotten ones included
	member  membership
	uploads []upload
	consent bool
	sent    []string // what /ads/collect received
}

// setFlash leaves a message for the next page the visitor sees.
func (v *visitor) setFlash(msg string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.flash = msg
}

// chrome is what every page shows of the visitor; the message is shown once.
func (v *visitor) chrome() (flash string, items int, signedIn bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	flash, v.flash = v.flash, ""
	for _, l := range v.lines {
		items += l.quantity
	}
	return flash, items, v.member.signedIn
}

func (v *visitor) cartLines() []cartLine {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.lines)
}

func (v *visitor) ordersPlaced() []Order {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.orders)
}

// keep appends x and drops the oldest beyond max, so that no visitor grows
// without bound.
func keep[T any](list []T, x T, max int) []T {
	list = append(list, x)
	if len(list) > max {
		list = slices.Delete(list, 0, len(list)-max)
	}
	return list
}
