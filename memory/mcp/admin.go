package mcp

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/seed-4bdb41d0/webhand/memory/longterm"
	"github.com/seed-4bdb41d0/webhand/memory/serve"
)

// admin answers callers without an admin key and reports whether it did.
func admin(w http.ResponseWriter, r *http.Request) (refused bool) {
	if serve.CallerOf(r.Context()).Admin {
		return false
	}
	serve.Error(w, http.StatusForbidden, "this needs an admin key")
	return true
}

// appState is an app with its rules.
type appState struct {
	longterm.App
	Rules []longterm.Rule `json:"rules"`
}

// listApps serves GET /access/apps?user_id=.
func (s *Server) listApps(w http.ResponseWriter, r *http.Request) {
	if admin(w, r) {
		return
	}
	apps, err := s.access.Apps(r.Context(), r.URL.Query().Get("user_id"))
	out := []appState{}
	for _, a := range apps {
		var rules []longterm.Rule
		if rules, err = s.access.Rules(r.Context(), a.User, a.Name); err != nil {
			break
		}
		out = append(out, appState{a, append([]longterm.Rule{}, rules...)})
	}
	s.reply(w, out, err)
}

// changeApp serves PUT /access/apps/{user}/{client} with {"is_active", "rules"}.
func (s *Server) changeApp(w http.ResponseWriter, r *http.Request) {
	if admin(w, r) {
		return
	}
	var b struct {
		Active *bool            `json:"is_active"`
		Rules  *[]longterm.Rule `json:"rules"`
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields() // a misspelt rule would open what it should close
	if err := dec.Decode(&b); err != nil {
		serve.Error(w, http.StatusUnprocessableEntity, err.Error())
		return
	}
	user, client := r.PathValue("user"), r.PathValue("client")
	app, err := s.access.App(r.Context(), user, client, true)
	if err == nil && b.Rules != nil {
		err = s.access.SetRules(r.Context(), user, client, *b.Rules)
	}
	if err == nil && b.Active != nil {
		err = s.access.SetActive(r.Context(), user, client, *b.Active)
	}
	if err == nil {
		app, err = s.access.App(r.Context(), user, client, false)
	}
	var rules []longterm.Rule
	if err == nil {
		rules, err = s.access.Rules(r.Context(), user, client)
	}
	s.reply(w, appState{app, append([]longterm.Rule{}, rules...)}, err)
}

// accessLog serves GET /access/log?user_id=&limit=.
func (s *Server) accessLog(w http.ResponseWriter, r *http.Request) {
	if admin(w, r) {
		return
	}
	limit := 100
	if q := r.URL.Query().Get("limit"); q != "" {
		n, err := strconv.Atoi(q)
		if err != nil || n < 1 || n > 1000 {
			serve.Error(w, http.StatusUnprocessableEntity, "limit should be an integer from 1 to 1000")
			return
		}
		limit = n
	}
	rows, err := s.access.AccessLog(r.Context(), r.URL.Query().Get("user_id"), limit)
	s.reply(w, append([]longterm.Access{}, rows...), err)
}

func (s *Server) reply(w http.ResponseWriter, v any, err error) {
	switch {
	case err == nil:
		serve.JSON(w, http.StatusOK, v)
	case errors.Is(err, longterm.ErrNotFound):
		serve.Error(w, http.StatusNotFound, "no such app")
	default:
		s.log.Error("memory access request failed", "err", err)
		serve.Error(w, http.StatusBadGateway, "The memory store failed.")
	}
}
