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
	if _, ok := a.reg.Lookup("done"); !ok {
		return fmt.Errorf("agent: Config.Tools has no action %q, so the model could not finish: %w", "done", registry.ErrUnknownAction)
	}
	a.startReg = a.reg.Clone() // what the caller wrote down is not limited
	if len(a.cfg.Secrets) > 0 || !a.cfg.BrowserConfig.Policy.IsZero() {
		// Scripts of the page's own rank could read a secret back, and do what
		// no other action may.
		a.reg.Exclude("evaluate")
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
	a.replayReg = a.reg.Clone()
	if a.cfg.Vision.See != SeeOnDemand {
		a.reg.Exclude("screenshot")
	}
	a.doneReg = a.reg.Clone()
	a.doneReg.Only("done")
	if err := a.reg.Check(a.baseDeps(&browser.Session{}, &tools.Files{})); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return a.checkStart()
}

// checkStart decodes the first actions, as far as that is possible without a
// page.
func (a *Agent) checkStart() error {
	model := a.startReg.Compile(registry.Page{})
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
func (a *Agent) baseDeps(s *browser.Session, f *tools.Files) registry.Deps {
	d := tools.Provide(a.cfg.Deps, s)
	d = registry.Provide(d, f)
	d = registry.Provide[tools.ExtractionLLM](d, a.extract)
	d = registry.Provide(d, tools.ExtractionSchema(a.cfg.ExtractionSchema))
	d = registry.Provide(d, tools.FilePaths(a.files()))
	return registry.Provide[registry.SecretResolver](d, a.secrets)
}

// files are the paths that the model may read and upload.
func (a *Agent) files() []string {
	return slices.Concat(a.cfg.AvailableFiles, a.mind.Downloads)
}

// filesText tells the model which files there are. Names and contents come
// from pages as often as not.
func (a *Agent) filesText(nonce string) string {
	var parts []string
	if f := a.folder.files; f != nil {
		if list := f.Describe(); list != "" {
			parts = append(parts, "Files you wrote, by name:\n"+list)
		}
		if todo := f.Todo(); todo != "" {
			parts = append(parts, "todo.md:\n"+todo)
		}
	}
	if paths := a.files(); len(paths) > 0 {
		parts = append(parts, "Files you may read and upload, by these paths:\n"+strings.Join(paths, "\n"))
	}
	if len(parts) == 0 {
		return ""
	}
	return fence(fenceRead, nonce, strings.Join(parts, "\n"))
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
