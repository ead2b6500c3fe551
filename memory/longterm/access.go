package longterm

import "context"

// App is a program that reads and writes a user's memories under a name of
// its own.
type App struct {
	User      string    `json:"user_id"`
	Name      string    `json:"name"`
	Active    bool      `json:"is_active"`
	CreatedAt Timestamp `json:"created_at"`
}

// Rule allows an app a memory, or denies it. An empty MemoryID means all
// memories of the user.
type Rule struct {
	Allow    bool   `json:"allow"`
	MemoryID string `json:"memory_id,omitempty"`
}

// Access is one row of the access log. It holds no text.
type Access struct {
	User     string    `json:"user_id"`
	App      string    `json:"app"`
	Kind     string    `json:"access_type"` // "add", "search", "list", "delete", "delete_all"
	MemoryID string    `json:"memory_id,omitempty"`
	At       Timestamp `json:"accessed_at"`
}

// AccessStore keeps which app may see what, and who looked.
type AccessStore interface {
	// App returns the app, made active on first use when create is true and
	// [ErrNotFound] otherwise.
	App(ctx context.Context, user, name string, create bool) (App, error)
	Apps(ctx context.Context, user string) ([]App, error)
	SetActive(ctx context.Context, user, name string, active bool) error
	// Rules returns the rules of an app; SetRules replaces them.
	Rules(ctx context.Context, user, name string) ([]Rule, error)
	SetRules(ctx context.Context, user, name string, rules []Rule) error
	LogAccess(ctx context.Context, rows []Access) error
	// AccessLog returns the newest rows of a user.
	AccessLog(ctx context.Context, user string, limit int) ([]Access, error)
}

// AppFilter returns the condition that an app's rules put on memories. A
// paused app sees nothing. Without rules it sees all of its user's memories;
// with any allow rule only those allowed; what is denied it never sees, and a
// denial of everything wins over all.
func AppFilter(app App, rules []Rule) Filter {
	nothing := Where("id", OpIn, []any{})
	if !app.Active {
		return nothing
	}
	var allow, deny []any
	anyAllow, allowAll := false, false
	for _, r := range rules {
		switch {
		case !r.Allow && r.MemoryID == "":
			return nothing
		case !r.Allow:
			deny = append(deny, r.MemoryID)
		case r.MemoryID == "":
			anyAllow, allowAll = true, true
		default:
			anyAllow = true
			allow = append(allow, r.MemoryID)
		}
	}
	var f Filter
	if anyAllow && !allowAll {
		f = Where("id", OpIn, allow)
	}
	if len(deny) > 0 {
		f = And(f, Where("id", OpNin, deny))
	}
	return f
}
