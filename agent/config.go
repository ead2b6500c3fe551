package agent

import (
	"context"
	"encoding/json"
	"image"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/memory"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// Config is everything that can be set about an agent. Only LLM is required;
// the zero value of every other field is a working default, named with it. A
// Config is read once, by [New]; changing it afterwards has no effect.
type Config struct {
	// LLM is the model that decides. Required. How its answers are made to have
	// the right form (a schema, a forced tool call, words) and how failed calls
	// are tried again is set on the client; see llm.Retry.
	LLM llm.Client
	// Fallbacks answer, in order, when the model before them fails for a
	// reason of its provider's (rate limit, quota, key, timeout, outage). A
	// malformed answer does not switch models.
	Fallbacks []llm.Client
	// Extraction reads pages for the extract action. Nil is LLM.
	Extraction llm.Client
	// Tools are the actions. Nil is tools.New. The registry is cloned, so the
	// agent never changes the caller's. Its evaluate is left out when Secrets
	// or BrowserConfig.Policy are set; a program that wants scripts there all
	// the same adds an action of its own for them.
	Tools *registry.Registry
	// Deps are the caller's own objects for actions that ask for them by type.
	Deps registry.Deps

	// Browser is the session to work in. It is left open. Nil launches one
	// with BrowserConfig and closes it when the run ends.
	Browser *browser.Session
	// BrowserConfig describes the browser to launch when Browser is nil. The
	// zero value is a headless Chrome with a temporary profile.
	BrowserConfig browser.Config
	// KeepBrowser keeps a launched browser open between runs, so that a
	// follow-up task starts where the last one ended. Close ends it.
	KeepBrowser bool

	// ID names the agent in logs, spans and files. Empty is a random one.
	ID string
	// Dir is the agent's folder for screenshots, written files and downloads.
	// It is created and kept. Empty is a temporary one that Close removes, and
	// that every run removes unless KeepBrowser is set.
	Dir string
	// AvailableFiles are paths that the model may read and upload. Files that
	// the run downloads are added.
	AvailableFiles []string

	// Start is where the run begins.
	Start Start
	// Limits bound the run.
	Limits Limits
	// Prompt says what the model is told besides task and page.
	Prompt Prompt
	// Vision says whether the model gets pictures.
	Vision Vision
	// Plan configures plans that the model keeps in its answers.
	Plan Plan
	// Planner is a second model that plans every few steps. The zero value has
	// none.
	Planner Planner
	// Stuck configures how going in circles is noticed.
	Stuck Stuck
	// Compaction folds old steps into a summary.
	Compaction memory.Compaction
	// Memory is memory beyond this run. The zero value has none.
	Memory LongTerm
	// Check configures who looks at the result before it counts.
	Check Check

	// Secrets are values the model may use by name and never sees.
	Secrets []registry.Secret
	// ExtractionSchema is the JSON Schema for extract calls that bring none.
	ExtractionSchema json.RawMessage

	// Approve is asked before every action that is not plainly harmless; see
	// [Approver]. Nil allows what the Rules allow.
	Approve Approver
	// Rules decide by action name and page before Approve is asked. The first
	// that matches counts.
	Rules []Rule
	// ReadOnly allows only actions that change nothing.
	ReadOnly bool

	// Hooks are called while the run goes on.
	Hooks Hooks

	// HistoryFile is a file the history is written to, a line a step, while
	// the run goes on. [LoadHistory] reads it. Empty writes none.
	HistoryFile string
	// ConversationDir is a folder that gets every model call as text and as a
	// line of JSON, failed calls too. Empty writes none.
	ConversationDir string
	// KeepPrompts keeps what was sent to the model in the history. It grows
	// fast.
	KeepPrompts bool

	// Variables are the parts of the task that differ from run to run. {{name}}
	// in the task stands for the variable's Sample; the history keeps them, so
	// that a replay can be given other values.
	Variables []Variable
	// Vars are the values of variables, by name, for [Replay]. For a run they
	// take the place of the samples.
	Vars map[string]string
	// Replay says how [Replay] and [RunWorkflow] go about it.
	Replay ReplayConfig

	// State continues a run from the state that [Agent.State] returned, on
	// this machine or another. Nil starts a new one.
	State *State

	// Logger gets what happens, with stable keys. Nil discards it.
	Logger *slog.Logger
	// TracerProvider and MeterProvider get spans and metrics. Nil is
	// OpenTelemetry's global provider, which does nothing unless the program
	// sets one. Nothing else is ever sent anywhere.
	TracerProvider trace.TracerProvider
	MeterProvider  metric.MeterProvider

	group *Group // that the agent belongs to, if any
}

// Start is where a run begins.
type Start struct {
	// URL is opened before the first step. Empty looks for a single address in
	// the task, unless NoURLFromTask is set or Actions are given.
	URL           string
	NoURLFromTask bool
	// Actions are run before the first step, without a model: single-key
	// objects such as {"navigate":{"url":"..."}}. They are checked by New and
	// kept in the history as step 0. They go on although the page changes
	// under them; the first one that fails is the last. Elements have the
	// numbers that a look at the page before each action gives them: in a new
	// session from 1 on, in the order of the page.
	Actions []json.RawMessage
}

// Limits bound a run. A run is one call of Run or Steps; a follow-up task has
// limits of its own.
type Limits struct {
	// Steps is the most steps of a run; 0 is 100. On the last one the model
	// can only finish.
	Steps int
	// Failures is how many steps in a row may bring nothing before the run
	// ends; 0 is 5. A step brings nothing when no action of it succeeded, or
	// when its last action failed and the page then is what it was before.
	// Waiting for a rate limit is not a failure.
	Failures int
	// NoFinalAnswer ends the run at that point. Otherwise the model is asked
	// once more, and can only finish.
	NoFinalAnswer bool
	// RetryDelay is the wait after a rate limit that does not say how long;
	// 0 is 10 s. Waits after a server's failure grow up to it.
	RetryDelay time.Duration
	// RateLimits is how many rate limits in a row are waited for before one
	// counts as a failure; 0 is 10.
	RateLimits int
	// Actions is the most actions of one step; 0 is 10. Further ones are not
	// run, and the model is told.
	Actions int
	// LLM bounds one model call; 0 is 90 s.
	LLM time.Duration
	// Step bounds a whole step without the time it waits for people or rate
	// limits; 0 is 180 s.
	Step time.Duration
	// Run bounds the whole run; 0 does not.
	Run time.Duration
	// Relaunches is how often a run may start the agent's own Chrome again
	// when it died, with the pages it had (see [browser.Session.Relaunch]); 0
	// is 1, less is never. A Config.Browser is not started again: its death
	// ends the run.
	Relaunches int
	// Budget ends the run when tokens, calls, money or time of all models
	// together are spent; zero does not. A call that would go over it is not
	// made.
	Budget llm.Limits
	// InputTokens is the most tokens of one prompt. 0 is 128,000, or three
	// quarters of the model's window where that is known and less. A longer
	// prompt is trimmed before it is sent.
	InputTokens int
	// PageTokens bounds the text of the page in the prompt; 0 leaves the
	// browser's default.
	PageTokens int
	// HistoryItems is how many past steps stay in the prompt before the older
	// ones but the first are left out; 0 keeps all.
	HistoryItems int
}

// Prompt says what the model is told.
type Prompt struct {
	// Style is how much the model writes besides actions. The zero value is
	// StyleThinking.
	Style Style
	// Override replaces the system prompt. {max_actions} in it stands for
	// Limits.Actions.
	Override string
	// Extend is added to the system prompt.
	Extend string
	// Context is background for the task, shown with it.
	Context string
	// SampleImages are shown with the task: texts and pictures.
	SampleImages []llm.Part
	// Attributes are the element attributes that the page text shows. Nil is
	// the default list, an empty slice shows none.
	Attributes []string
	// Events shows what happened in the browser since the last step, such as
	// navigations and console errors.
	Events bool
	// NoDate leaves today's date out.
	NoDate bool
}

// See says when the model gets a screenshot.
type See string

// When the model gets a screenshot. The zero value is SeeAlways, unless the
// model is known to see nothing.
const (
	SeeAlways   See = "always"
	SeeNever    See = "never"
	SeeOnDemand See = "on_demand" // the model asks for one with the screenshot action
)

// Vision says whether and how the model gets pictures.
type Vision struct {
	See    See
	Detail llm.Detail
	// Size is what screenshots are scaled down to fit in; zero sends them as
	// they are.
	Size image.Point
	// NoMarks sends screenshots without the numbered boxes around elements.
	NoMarks bool
}

// Plan configures the plan that the model keeps in its answers.
type Plan struct {
	// Off takes plans out of answers and prompt.
	Off bool
	// ReplanAfter is the failures in a row after which a new plan is
	// suggested; 0 is 3, negative never.
	ReplanAfter int
	// ExploreAfter is the steps without a plan after which one is suggested;
	// 0 is 5, negative never.
	ExploreAfter int
}

// Planner is a separate model that looks at the run every few steps and says
// what to do next. Its next steps become the plan.
type Planner struct {
	// LLM is the planning model; nil has no planner.
	LLM llm.Client
	// Every is the number of steps between two plans; 0 is 1.
	Every int
	// Vision shows it the screenshot.
	Vision bool
	// Reasoning sends its instructions as a user message, for models that take
	// no system message.
	Reasoning bool
	// Extend is added to its instructions.
	Extend string
}

// Stuck configures how going in circles is noticed.
type Stuck struct {
	// Off notices nothing.
	Off bool
	// Window is how many past actions are compared; 0 is 20.
	Window int
	// StopAt ends the run when one action was repeated so often in the window;
	// 0 never does.
	StopAt int
}

// LongTerm is memory beyond this run.
type LongTerm struct {
	// Store is asked when a run starts and told when it ends; nil has none.
	Store memory.Store
	// AgentID names whose memories are used; empty is the store's default.
	AgentID string
	// Every records the run so far every so many steps as well, so that a run
	// that dies leaves something; 0 is 10, negative records at the end only.
	Every int
	// Limit is the most memories shown; 0 is 5.
	Limit int
	// NoRecall records only.
	NoRecall bool
	// NoRecord recalls only.
	NoRecord bool
}

// Check configures who looks at the result before it counts.
type Check struct {
	// Validate lets the model look at its result against task and page once
	// more. When it says no, the run goes on with the reason.
	Validate bool
	// Func is a check in code, with the same effect: a non-nil error is the
	// reason the model is told.
	Func func(ctx context.Context, o Outcome) error
	// Loops is how often a result may be sent back; 0 is 3. After that it
	// counts as it is.
	Loops int
	// Judge is a model that judges the finished run; nil has none. Its verdict
	// is in the outcome and in [History.Succeeded]; with JudgeLoops it sends
	// the agent back to work.
	Judge llm.Client
	// JudgeLoops counts the judge's no like the validator's.
	JudgeLoops bool
	// GroundTruth is what the judge measures the result by, above all else.
	GroundTruth string
	// LLM does the validation; nil is the main model.
	LLM llm.Client
}

// Hooks are called while a run goes on, one at a time. A hook that fails or
// panics is logged and changes nothing, except where it says so.
type Hooks struct {
	// StepStart is called before the page is read.
	StepStart func(ctx context.Context, number int) error
	// Decided is called when the model has answered, before its actions run.
	Decided func(ctx context.Context, number int, page Page, answer *Answer) error
	// StepEnd is called with the finished step.
	StepEnd func(ctx context.Context, s *Step) error
	// Done is called once when the run has ended.
	Done func(ctx context.Context, h *History) error
	// ShouldStop is asked between steps and actions; true ends the run as
	// [Agent.Stop] does.
	ShouldStop func(ctx context.Context) bool
	// Check is asked at the same points; an error ends the run with it.
	Check func(ctx context.Context) error
}
