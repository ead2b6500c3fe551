package tools

import (
	"context"
	"fmt"

	"github.com/seed-4bdb41d0/webhand/browser"
	"github.com/seed-4bdb41d0/webhand/registry"
)

// TabParams are the parameters of switch and close.
type TabParams struct {
	TabID string `json:"tab_id" jsonschema:"minLength=1" jsonschema_description:"the tab's id, as the list of tabs shows it"`
}

func tabActions() []builtin {
	return []builtin{
		{registry.Spec{Name: "switch", EndsStep: true, ReadOnly: true, Description: "Make another tab the current one."}, switchTab},
		{registry.Spec{Name: "close", EndsStep: true, Description: "Close a tab."}, closeTab},
	}
}

func switchTab(ctx context.Context, p TabParams, s *browser.Session) (*registry.Result, error) {
	if err := s.SwitchTab(ctx, p.TabID); err != nil {
		return nil, failedTo("switch to tab "+p.TabID, err)
	}
	return &registry.Result{Text: "Switched to tab " + p.TabID, Effects: tabNow(s)}, nil
}

func closeTab(ctx context.Context, p TabParams, s *browser.Session) (*registry.Result, error) {
	if err := s.CloseTab(ctx, p.TabID); err != nil {
		return nil, failedTo("close tab "+p.TabID, err)
	}
	return &registry.Result{Text: "Closed tab " + p.TabID, Effects: tabNow(s)}, nil
}

func tabNow(s *browser.Session) []string {
	for _, t := range s.Tabs() {
		if t.Current {
			return []string{fmt.Sprintf("the current tab is %s at %s", t.ID, t.URL)}
		}
	}
	return []string{"no tab is open; navigate opens one"}
}
