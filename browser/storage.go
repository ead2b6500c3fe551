package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
)

// StorageState is what a session is logged in with: its cookies and what
// sites keep in the browser. Its JSON is the format of Playwright's
// storageState.
type StorageState struct {
	Cookies []Cookie        `json:"cookies"`
	Origins []OriginStorage `json:"origins"`
}

// Cookie is one cookie. Its value is a secret as a rule.
type Cookie struct {
	Name     string  `json:"name"`
	Value    string  `json:"value"`
	Domain   string  `json:"domain"`
	Path     string  `json:"path"`
	Expires  float64 `json:"expires"` // seconds since 1970; -1 for a cookie of the session
	HTTPOnly bool    `json:"httpOnly"`
	Secure   bool    `json:"secure"`
	SameSite string  `json:"sameSite,omitempty"` // Strict, Lax or None
	// PartitionKey is the site of the page that a partitioned cookie (CHIPS)
	// belongs under.
	PartitionKey string `json:"partitionKey,omitempty"`
}

// OriginStorage is what one origin keeps.
type OriginStorage struct {
	Origin         string      `json:"origin"`
	LocalStorage   []NameValue `json:"localStorage"`
	SessionStorage []NameValue `json:"sessionStorage,omitempty"` // of the current tab
	// IndexedDB has one entry for each database, as Playwright writes them. It
	// is read only with [Config.IndexedDB], and loaded wherever it is there.
	IndexedDB []json.RawMessage `json:"indexedDB,omitempty"`
}

func (o OriginStorage) isEmpty() bool {
	return len(o.LocalStorage)+len(o.SessionStorage)+len(o.IndexedDB) == 0
}

// NameValue is one entry of a site's storage.
type NameValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// LoadStorageState reads a file that StorageState.Save or Playwright wrote.
func LoadStorageState(path string) (*StorageState, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("browser: storage state: %w", err)
	}
	st := new(StorageState)
	if err := json.Unmarshal(raw, st); err != nil {
		return nil, fmt.Errorf("browser: storage state %s: %w", path, err)
	}
	return st, nil
}

// Save writes the state to a file that only this user can read. A reader finds
// the old file or the new one, never a part.
func (st *StorageState) Save(path string) error {
	raw, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return fmt.Errorf("browser: storage state: %w", err)
	}
	if err := writeFileAtomic(path, raw); err != nil {
		return fmt.Errorf("browser: storage state: %w", err)
	}
	return nil
}

// noteOrigin remembers an origin whose storage StorageState asks for.
func (s *Session) noteOrigin(origin string) {
	if !strings.HasPrefix(origin, "http") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.origins, origin) && len(s.origins) < 1000 {
		s.origins = append(s.origins, origin)
	}
}

// StorageState returns the session's cookies, and what the origins keep that
// its tabs have shown or that were loaded. It is what is there now: what a
// site deleted is not in it.
func (s *Session) StorageState(ctx context.Context) (*StorageState, error) {
	if err := s.Err(); err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, s.b.conn.root, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: s.contextID})
	if err != nil {
		return nil, fmt.Errorf("browser: storage state: %w", err)
	}
	st := &StorageState{Cookies: []Cookie{}, Origins: []OriginStorage{}}
	for _, c := range res.Cookies {
		out := Cookie{
			Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, Expires: c.Expires,
			HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: string(c.SameSite),
		}
		if c.Session {
			out.Expires = -1
		}
		if c.PartitionKey != nil {
			out.PartitionKey = c.PartitionKey.TopLevelSite
		}
		st.Cookies = append(st.Cookies, out)
	}
	s.mu.Lock()
	origins := slices.Clone(s.origins)
	tabs := slices.Clone(s.tabs)
	current := s.current
	s.mu.Unlock()
	found := make(map[string]OriginStorage)
	for _, t := range tabs {
		got, err := s.readOrigin(ctx, t)
		if err != nil {
			continue // about:blank and the like, or a tab that is just leaving
		}
		if t != current {
			got.SessionStorage = nil
		}
		if old, ok := found[got.Origin]; ok && len(old.SessionStorage) > 0 {
			got.SessionStorage = old.SessionStorage
		}
		found[got.Origin] = got
	}
	var absent []string
	for _, o := range origins {
		if _, ok := found[o]; !ok {
			absent = append(absent, o)
		}
	}
	if len(absent) > 0 {
		if err := s.visitOrigins(ctx, nil, absent, func(t *tab, origin string) error {
			got, err := s.readOrigin(ctx, t)
			if err != nil {
				return err
			}
			got.SessionStorage = nil
			found[origin] = got
			return nil
		}); err != nil {
			return nil, fmt.Errorf("browser: storage state: %w", err)
		}
	}
	for _, o := range origins {
		if got := found[o]; !got.isEmpty() {
			st.Origins = append(st.Origins, got)
		}
	}
	return st, nil
}

// readOrigin returns what the origin keeps that a tab shows.
func (s *Session) readOrigin(ctx context.Context, t *tab) (OriginStorage, error) {
	var got OriginStorage
	err := t.callInFrame(ctx, t.main, readStorageJS, &got)
	if err == nil && s.cfg.IndexedDB {
		got.IndexedDB, err = t.readDatabases(ctx)
	}
	return got, err
}

const readStorageJS = `() => {
	const all = (s) => Object.keys(s).sort().map((name) => ({ name, value: s.getItem(name) }));
	return { origin: location.origin, localStorage: all(localStorage), sessionStorage: all(sessionStorage) };
}`

const writeStorageJS = `(local, session) => {
	for (const { name, value } of local || []) localStorage.setItem(name, value);
	for (const { name, value } of session || []) sessionStorage.setItem(name, value);
}`

// restore puts a state in place before the session's first request.
func (s *Session) restore(ctx context.Context, st *StorageState) error {
	if st == nil {
		return nil
	}
	if len(st.Cookies) > 0 {
		params := storage.SetCookiesParams{BrowserContextID: s.contextID}
		for _, c := range st.Cookies {
			p := &network.CookieParam{
				Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure,
				SameSite: network.CookieSameSite(c.SameSite),
			}
			if c.Expires > 0 { // 0 and -1 mean a cookie of the session
				p.Expires = cdp.TimeSinceEpoch(c.Expires)
			}
			if c.PartitionKey != "" {
				p.PartitionKey = &network.CookiePartitionKey{TopLevelSite: c.PartitionKey}
			}
			params.Cookies = append(params.Cookies, p)
		}
		if _, err := cdp.Call(ctx, s.b.conn.root, storage.SetCookies, params); err != nil {
			return fmt.Errorf("browser: load cookies: %w", err)
		}
	}
	byOrigin := make(map[string]OriginStorage)
	var origins []string
	for _, o := range st.Origins {
		if o.isEmpty() {
			continue
		}
		byOrigin[o.Origin] = o
		origins = append(origins, o.Origin)
		s.noteOrigin(o.Origin)
	}
	if len(origins) == 0 {
		return nil
	}
	t, err := s.active(ctx)
	if err != nil {
		return err
	}
	if err := s.visitOrigins(ctx, t, origins, func(t *tab, origin string) error {
		o := byOrigin[origin]
		if err := t.callInFrame(ctx, t.main, writeStorageJS, nil, o.LocalStorage, o.SessionStorage); err != nil {
			return err
		}
		return t.writeDatabases(ctx, o.IndexedDB)
	}); err != nil {
		return fmt.Errorf("browser: load storage: %w", err)
	}
	s.TakeEvents()
	return nil
}

// saveStorage writes Config.StorageFile.
func (s *Session) saveStorage(ctx context.Context) error {
	st, err := s.StorageState(ctx)
	if err != nil {
		return err
	}
	return st.Save(s.cfg.StorageFile)
}

// storageToLoad is the state that a configuration asks for; a file that does
// not exist yet is none.
func (c Config) storageToLoad() (*StorageState, error) {
	if c.Storage != nil || c.StorageFile == "" {
		return c.Storage, nil
	}
	st, err := LoadStorageState(c.StorageFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return st, err
}
