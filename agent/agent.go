package agent

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// Agent carries out tasks in a browser. Its methods are safe for concurrent
// use; one run goes on at a time. Close it when it is no longer needed.
type Agent struct {
	cfg     Config
	log     *slog.Logger
	tel     *telemetry
	rules   rules
	secrets *registry.Secrets
	reg     *registry.Registry // with everything the model may use
	doneReg *registry.Registry // with done alone
	// startReg is for the first actions, which the caller chose.
	startReg *registry.Registry
	// replayReg is for recorded actions: with those, too, that would not help
	// the model of this run.
	replayReg *registry.Registry
	system    string
	samples   llm.Message
	meter     llm.Meter
	before    Usage // of the state that the agent goes on from
	budget    *llm.Budget
	conv      *conversation
	main      llm.Client
	extract   llm.Client
	ctl       control

	// Only the goroutine of the running run touches these.
	mind    *mind
	session *browser.Session
	deps    registry.Deps
	clock   *stepClock
	busy    time.Duration // of the running step, in browser, model and actions
	journal *journal
	folder  folder

	mu      sync.Mutex
	hist    *History
	saved   *mind // as of the last finished step
	running bool
	closed  bool
	idle    chan struct{} // closed when the running run has ended
}

// New makes an agent for a task in plain words. Everything that can be checked
// before a run is checked here, all of it at once: an empty task ([ErrNoTask]),
// a missing model ([ErrNoLLM]), settings that contradict each other, secrets,
// rules, initial actions, actions whose dependencies are not there
// (registry.ErrMissingDep). No browser is started.
//
// With cfg.State the task may be empty: the state's own goes on. A task given
// then is a follow-up.
func New(task string, cfg Config) (*Agent, error) {
	task = strings.TrimSpace(task)
	if task == "" && cfg.State == nil {
		return nil, ErrNoTask
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	vars, values, err := cfg.forRun()
	if err != nil {
		return nil, err
	}
	task = fill(values, task)
	cfg = cfg.withDefaults()
	a := &Agent{cfg: cfg, log: cfg.Logger.With("agent", cfg.ID)}
	a.meter.Table = cfg.Limits.Budget.Table
	if cfg.Limits.Budget != (llm.Limits{Table: cfg.Limits.Budget.Table}) {
		a.budget = llm.NewBudget(cfg.Limits.Budget)
	}
	a.tel = newTelemetry(cfg)
	if a.rules, err = compileRules(cfg.Rules); err != nil {
		return nil, err
	}
	if a.secrets, err = registry.NewSecrets(cfg.Secrets...); err != nil {
		return nil, fmt.Errorf("agent: %w", err)
	}
	a.main = a.client("step", a.chain(cfg.LLM))
	a.extract = a.client("extract", cfg.Extraction)
	a.begins(task)
	if len(vars) > 0 {
		a.hist.Variables = vars
	}
	if err := a.prepareTools(); err != nil {
		return nil, err
	}
	if a.system, err = a.cfg.systemPrompt(); err != nil {
		return nil, err
	}
	a.system = a.redact(a.system)
	a.samples = llm.Message{Parts: cfg.Prompt.SampleImages}
	if a.conv, err = openConversation(cfg.ConversationDir, cfg.ID, a.redact, a.log); err != nil {
		return nil, err
	}
	return a, nil
}

// begins sets up mind and history, from scratch or from a state.
func (a *Agent) begins(task string) {
	a.mind = &mind{}
	a.hist = &History{AgentID: a.cfg.ID, Started: time.Now(), Model: llm.Describe(a.cfg.LLM).Model}
	if s := a.cfg.State; s != nil && s.mind != nil {
		a.mind = s.mind.clone()
		a.hist = s.History.snapshot()
		a.before = a.hist.Usage.clone()
		a.mind.Notes = append(a.mind.Notes, "The run goes on after a break, in another browser or at another time. What is open may differ; look again.")
	}
	if task != "" {
		a.addTask(task)
	}
	a.saved = a.savable(a.mind)
	if a.redact(task) != task {
		a.log.Warn("the task holds a secret in plain text; it was replaced by its name. Refer to secrets by name instead")
	}
}

// AddTask gives the agent a follow-up task for the next run. The prompt keeps
// what was done and found; plan, failures and counters start over, and so does
// the step limit. It must not be called while a run goes on ([ErrRunning]); use
// Tell to correct a running one.
func (a *Agent) AddTask(task string) error {
	task = strings.TrimSpace(task)
	if task == "" {
		return ErrNoTask
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		return ErrClosed
	case a.running:
		return ErrRunning
	}
	a.addTask(task)
	a.saved = a.savable(a.mind)
	return nil
}

// addTask puts a task into prompt and history; nobody else uses the agent.

func (a *Agent) addTask(task string) {
	first := len(a.hist.Tasks) == 0
	task = a.redact(task)
	a.mind.newTask(task, a.cfg.Stuck.Window)
	a.mind.Log.Add(a.taskEntry(task, first))
	a.hist.Tasks = append(a.hist.Tasks, TaskRun{Task: task, FirstStep: len(a.hist.Steps), Started: time.Now()})
}

// History returns what was done so far. The copy does not change any more.
func (a *Agent) History() *History {
	a.mu.Lock()
	defer a.mu.Unlock()
	h := a.hist.snapshot()
	h.Dir = a.folder.path
	return h
}

// Session returns the browser session, nil while there is none. A person or
// program may use it while the agent is paused. It is another one after the
// agent's own Chrome died and was started again (see [Limits]).
func (a *Agent) Session() *browser.Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session
}

// begin claims the agent for a run.
func (a *Agent) begin() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		return ErrClosed
	case a.running:
		return ErrRunning
	case !a.mind.Pending:
		return ErrFinished
	}
	a.running = true
	a.mind.Failures, a.mind.Doubt = 0, false // a run has limits of its own
	a.idle = make(chan struct{})
	a.ctl.begin()
	return nil
}

// finish gives the agent free again and lets go of what the run opened.
func (a *Agent) finish() {
	if err := a.journal.close(); err != nil {
		a.log.Warn("history file not complete", "err", err)
	}
	a.journal = nil
	if !a.cfg.KeepBrowser {
		a.letGo()
	}
	a.ctl.end()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running = false
	close(a.idle)
}

// letGo closes an own browser and removes an own folder.
func (a *Agent) letGo() {
	a.mu.Lock()
	s := a.session
	a.session = nil
	a.mu.Unlock()
	if s != nil && a.cfg.Browser == nil {
		if err := s.Close(); err != nil {
			a.log.Warn("browser not closed cleanly", "err", err)
		}
	}
	if err := a.folder.close(); err != nil {
		a.log.Warn("folder not closed cleanly", "err", err)
	}
}

// Close stops a run that goes on, waits for it, closes the browser if the agent
// launched it, and removes the agent's folder if it is a temporary one. The
// history stays readable.
func (a *Agent) Close() error {
	a.mu.Lock()
	a.closed = true
	running, idle := a.running, a.idle
	a.mu.Unlock()
	if running {
		a.Stop()
		<-idle
	}
	a.letGo()
	return nil
}
