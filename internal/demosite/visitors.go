package demosite

import (
	"container/list"
	"crypto/rand"
	"net"
	"net/http"
	"sync"
	"time"
)

// visitors remembers who came lately: at most max of them, each for ttl after
// its last request. The list is ordered by last request, newest in front.
type visitors struct {
	mu    sync.Mutex
	byID  map[string]*list.Element
	order *list.List
	max   int
	ttl   time.Duration
	now   func() time.Time
}

type seen struct {
	id   string
	last time.Time
	*visitor
}

func newVisitors(max int, ttl time.Duration, now func() time.Time) *visitors {
	return &visitors{byID: map[string]*list.Element{}, order: list.New(), max: max, ttl: ttl, now: now}
}

// of returns the visitor that r's cookie names, or a new one whose cookie it
// sets on w.
func (s *visitors) of(w http.ResponseWriter, r *http.Request) *visitor {
	name := cookieName(r.Host)
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.forget(now)
	if c, err := r.Cookie(name); err == nil {
		if e := s.byID[c.Value]; e != nil {
			e.Value.(*seen).last = now
			s.order.MoveToFront(e)
			return e.Value.(*seen).visitor
		}
	}
	v := &seen{id: rand.Text(), last: now, visitor: &visitor{}}
	s.byID[v.id] = s.order.PushFront(v)
	s.forget(now)
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: v.id, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
	return v.visitor
}

// forget drops the expired and the too many. The caller holds mu.
func (s *visitors) forget(now time.Time) {
	for e := s.order.Back(); e != nil; e = s.order.Back() {
		v := e.Value.(*seen)
		if s.order.Len() <= s.max && now.Sub(v.last) < s.ttl {
			return
		}
		s.order.Remove(e)
		delete(s.byID, v.id)
	}
}

// all returns the visitors remembered, the latest last.
func (s *visitors) all() []*visitor {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*visitor, 0, s.order.Len())
	for e := s.order.Back(); e != nil; e = e.Prev() {
		out = append(out, e.Value.(*seen).visitor)
	}
	return out
}

// cookieName has the port in it because cookies do not tell ports apart (RFC
// 6265, section 8.5): two sites on one host would overwrite each other's.
func cookieName(host string) string {
	if _, port, err := net.SplitHostPort(host); err == nil && port != "" {
		return "visitor_" + port
	}
	return "visitor"
}
