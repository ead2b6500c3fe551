package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/seed-4bdb41d0/webhand/agent"
	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// taskSpec describes run_task. A task takes as long as its steps do.
var taskSpec = registry.Spec{
	Name:        "run_task",
	Timeout:     24 * time.Hour,
	Description: "Have a whole task carried out by an agent, which looks and acts by itself until it is done, and get its answer. It works in your session, from the page that is open there. For long or repetitive work; it takes minutes.",
}

type taskParams struct {
	Task    string   `json:"task" jsonschema:"minLength=1" jsonschema_description:"what to do and what to report, in plain words"`
	Steps   int      `json:"max_steps,omitempty" jsonschema:"minimum=1" jsonschema_description:"most steps; the server has a limit of its own"`
	Domains []string `json:"allowed_domains,omitempty" jsonschema_description:"stay on these sites, in a new session; within what the server allows"`
	Fresh   bool     `json:"new_session,omitempty" jsonschema_description:"in a session of its own that is closed afterwards"`
	Vision  bool     `json:"use_vision" jsonschema:"default=true" jsonschema_description:"let it see pictures of the pages"`
}

// taskReport is the outcome of a task as data.
type taskReport struct {
	Success bool     `json:"success"`
	Final   string   `json:"final"`
	End     string   `json:"end"`
	Steps   int      `json:"steps"`
	URLs    []string `json:"urls"`
	Errors  []string `json:"errors,omitempty"`
	Tokens  int      `json:"tokens"`
	Cost    float64  `json:"cost_usd,omitempty"`
	Seconds float64  `json:"seconds"`
}

func (s *Server) runTask(ctx context.Context, p taskParams, c *client, pr *progress) (res *registry.Result, err error) {
	o, done, err := s.taskSession(ctx, p, c)
	if err != nil {
		return nil, err
	}
	defer done()
	cfg := s.taskConfig(p, o, pr)
	a, err := agent.New(p.Task, cfg)
	if err != nil {
		return nil, err
	}
	defer func() {
		if cerr := a.Close(); cerr != nil {
			s.log.Warn("mcpserver: task not cleaned up", "err", cerr)
		}
	}()
	h, err := a.Run(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	out := h.Outcome()
	report := taskReport{
		Success: h.Succeeded(), Final: out.Final, End: string(out.End), Steps: len(h.TaskSteps()), URLs: h.URLs(),
		Errors: h.Errors(), Seconds: h.Duration().Seconds(), Tokens: h.Usage.Tokens.Total(), Cost: h.Usage.Cost,
	}
	raw, merr := json.Marshal(report)
	if merr != nil {
		return nil, merr
	}
	res = &registry.Result{
		Text:     fmt.Sprintf("%s\n\n(%s after %d steps)", strings.TrimSpace(out.Final), ending(report), report.Steps),
		Metadata: map[string]any{structured: json.RawMessage(s.secrets.Redact(string(raw)))},
	}
	if !report.Success {
		res.Error = "The task was not achieved."
		if err != nil {
			res.Error = "The task was not achieved: " + strings.TrimPrefix(err.Error(), "agent: ")
		}
	}
	return res, nil
}

func ending(r taskReport) string {
	switch {
	case r.Success:
		return "done"
	case r.End == string(agent.EndDone):
		return "given up"
	default:
		return r.End
	}
}

// taskSession is the session that a task works in: the client's, which it
// holds as long, or a new one.
func (s *Server) taskSession(ctx context.Context, p taskParams, c *client) (*openSession, func(), error) {
	domains := slices.DeleteFunc(slices.Clone(p.Domains), func(d string) bool { return strings.TrimSpace(d) == "" })
	if len(domains) == 0 && !p.Fresh {
		release, err := c.hold(ctx, taskSpec.Name)
		if err != nil {
			return nil, nil, err
		}
		o, err := c.session(ctx)
		if err != nil {
			release()
			return nil, nil, err
		}
		return o, func() { o.shown = nil; release() }, nil
	}
	cfg := s.cfg.BrowserConfig
	cfg.StorageFile = "" // the client's session writes it
	if len(domains) > 0 {
		var err error
		if cfg.Policy, err = narrow(cfg.Policy, domains); err != nil {
			return nil, nil, err
		}
	}
	o, err := s.openSession(ctx, cfg, true)
	if err != nil {
		return nil, nil, err
	}
	return o, func() {
		if err := s.closeSession(o); err != nil {
			s.log.Warn("mcpserver: browser session not closed cleanly", "session", o.id, "err", err)
		}
	}, nil
}

// taskConfig is the agent for a task.
func (s *Server) taskConfig(p taskParams, o *openSession, pr *progress) agent.Config {
	cfg := s.cfg.Agent
	cfg.Browser, cfg.BrowserConfig, cfg.KeepBrowser = o.browser, browser.Config{}, false
	if cfg.Extraction == nil {
		cfg.Extraction = s.cfg.LLM
	}
	if cfg.Tools == nil {
		cfg.Tools = s.task
	}
	cfg.Deps = s.cfg.Deps
	cfg.AvailableFiles = slices.Concat(cfg.AvailableFiles, s.cfg.FilePaths)
	cfg.Secrets = slices.Concat(cfg.Secrets, s.cfg.Secrets)
	limit := s.cfg.MaxSteps
	if n := cfg.Limits.Steps; n > 0 {
		limit = min(limit, n)
	}
	if p.Steps > 0 {
		limit = min(limit, p.Steps)
	}
	cfg.Limits.Steps = limit
	if !p.Vision {
		cfg.Vision.See = agent.SeeNever
	}
	if cfg.Approve == nil && s.cfg.Approve != nil {
		cfg.Approve = func(ctx context.Context, pr agent.Proposal) error {
			if err := s.cfg.Approve(ctx, pr.Action, pr.Args); err != nil {
				return agent.Deny(err.Error())
			}
			return nil
		}
	}
	if cfg.Logger == nil {
		cfg.Logger = s.log
	}
	then := cfg.Hooks.StepEnd
	cfg.Hooks.StepEnd = func(ctx context.Context, st *agent.Step) error {
		err := pr.send(ctx, float64(st.Number), float64(limit), s.secrets.Redact(stepWords(st)))
		if then != nil {
			err = errors.Join(err, then(ctx, st))
		}
		return err
	}
	return cfg
}

// stepWords is a step in one line.
func stepWords(st *agent.Step) string {
	var names []string
	for _, a := range st.Actions {
		names = append(names, a.Name)
	}
	text := fmt.Sprintf("step %d: %s", st.Number, strings.Join(names, ", "))
	if st.Answer != nil {
		if goal := st.Answer.NextGoal; goal != "" {
			text = fmt.Sprintf("step %d: %s (%s)", st.Number, oneLine(goal), strings.Join(names, ", "))
		}
	}
	if st.Error != "" {
		text += " - " + oneLine(st.Error)
	}
	return text
}

// progress tells a client how far a call is, if it wants to know.
type progress struct {
	conn  *sdk.ServerSession
	token any
}

func progressOf(req *sdk.CallToolRequest) *progress {
	return &progress{conn: req.Session, token: req.Params.GetProgressToken()}
}

func (p *progress) send(ctx context.Context, done, total float64, message string) error {
	if p.token == nil {
		return nil
	}
	return p.conn.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: p.token, Progress: done, Total: total, Message: message})
}
