package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/internal/schema"
	"github.com/seed-4bdb41d0/webhand/llm"
	"github.com/seed-4bdb41d0/webhand/registry"
	"github.com/seed-4bdb41d0/webhand/tools"
)

// prepareTools makes the agent's own registries and checks what can be checked
// without a browser.
func (a *Agent) prepareTools() error {
	if a.cfg.Tools == nil {
		a.reg = tools.New()
	} else {
		a.reg = a.cfg.Tools.Clone()
	}
	a.reg.MaxActions = a.cfg.Limits.Actions
	if a.reg.Logger == nil {
		a.reg.Logger = a.log
	}
	if a.cfg.Vision.See != SeeOnDemand {
		a.reg.Exclude("screenshot")
	}
	if _, ok := a.reg.Lookup("done"); !ok {
		return fmt.Errorf("agent: Config.Tools has no action %q, so the model could not finish: %w", "done", registry.ErrUnknownAction)
	}
	if a.cfg.ReadOnly {
		only := []string{"done"}
		for x := range a.reg.All() {
			if x.Spec().ReadOnly {
				only = append(only, x.Spec().Name)
			}
		}
		a.reg.Only(only...)
	}
	a.doneReg = a.reg.Clone()
	a.doneReg.Only("done")
	if err := a.reg.Check(a.baseDeps(&browser.Session{})); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return a.checkStart()
}

// checkStart decodes the first actions, as far as that is possible without a
// page.
func (a *Agent) checkStart() error {
	model := a.reg.Compile(registry.Page{})
	for i, raw := range a.cfg.Start.Actions {
		if _, err := model.Decode(raw); err != nil && !errors.Is(err, registry.ErrNotAvailable) {
			return fmt.Errorf("agent: Start.Actions[%d]: %w", i, err)
		}
	}
	return nil
}

// compile gives the actions for a page; on the last step done alone.
func (a *Agent) compile(o *observation, final bool) *registry.Model {
	p := registry.Page{URL: o.page.URL, Title: o.page.Title, ContentType: o.contentType}
	if final {
		return a.doneReg.Compile(p)
	}
	return a.reg.Compile(p)
}

// baseDeps is what actions are injected with.
func (a *Agent) baseDeps(s *browser.Session) registry.Deps {
	d := tools.Provide(a.cfg.Deps, s)
	d = registry.Provide[tools.ExtractionLLM](d, a.extract)
	d = registry.Provide(d, tools.ExtractionSchema(a.cfg.ExtractionSchema))
	d = registry.Provide(d, tools.FilePaths(a.files()))
	return registry.Provide[registry.SecretResolver](d, a.secrets)
}

// provide sets the dependencies for the session at hand.
func (a *Agent) provide() error {
	a.deps = a.baseDeps(a.session)
	return nil
}

// files are the paths that the model may read and upload.
func (a *Agent) files() []string {
	return slices.Concat(a.cfg.AvailableFiles, a.mind.Downloads)
}

// filesText lists the files the model may use.
func (a *Agent) filesText() string {
	files := a.files()
	if len(files) == 0 {
		return ""
	}
	return "Files you may read and upload, by these paths:\n" + strings.Join(files, "\n")
}

// structuredTools is the registry of cfg with a done that takes a T.
func structuredTools[T any](cfg Config) (*registry.Registry, error) {
	return nil, errors.New("agent: not there")
}

// formatOf asks for one value of v's type.
func formatOf(name string, v any) (*llm.Format, error) {
	n, err := schema.Of(reflect.TypeOf(v).Elem())
	if err != nil {
		return nil, err
	}
	return &llm.Format{
		Name:   name,
		Schema: func(d llm.Dialect) (json.RawMessage, error) { return n.Render(d) },
		Text:   "Answer with one JSON object and nothing else. Its keys:\n" + n.Text("  "),
	}, nil
}
