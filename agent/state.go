package agent

import (
	"encoding/json"
	"fmt"
)

// stateVersion is the version of the JSON form of a State.
const stateVersion = 1

// State is everything an agent needs to go on with its task elsewhere: what it
// did, remembers, plans and counts. It encodes to JSON and back without loss.
// The browser is not part of it; a run that goes on in another one first opens
// the page that the last step ended on. Neither are files and secrets.
type State struct {
	AgentID string
	History *History
	mind    *mind
}

type stateJSON struct {
	Version int      `json:"version"`
	AgentID string   `json:"agent_id"`
	Mind    *mind    `json:"mind"`
	History *History `json:"history"`
}

// State returns where the agent stands after the last finished step. It may be
// called at any time, also while a run goes on.
func (a *Agent) State() *State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &State{AgentID: a.cfg.ID, History: a.hist.snapshot(), mind: a.saved.clone()}
}

// Task is the task the state is about, and whether it is finished.
func (s *State) Task() (text string, finished bool) {
	if s.mind == nil {
		return "", true
	}
	return s.mind.Task, !s.mind.Pending
}

// MarshalJSON writes the state.
func (s *State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateJSON{stateVersion, s.AgentID, s.mind, s.History})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (s *State) UnmarshalJSON(data []byte) error {
	var j stateJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("agent: read state: %w", err)
	}
	if j.Version != stateVersion {
		return fmt.Errorf("agent: read state: version %d, and this program knows %d", j.Version, stateVersion)
	}
	if j.Mind == nil || j.History == nil {
		return fmt.Errorf("agent: read state: it is not complete")
	}
	*s = State{j.AgentID, j.History, j.Mind}
	return nil
}
