package registry

import "context"

// The 24 actions of the reference, with params of the same names and limits and
// descriptions of about the same length: the yardstick for the size of a schema
// and for speed.

type doneParams struct {
	Text    string   `json:"text" jsonschema_description:"Final message for the user, only with facts that were seen on a page or in a file during this task"`
	Success bool     `json:"success" jsonschema:"default=true" jsonschema_description:"Whether the whole task was achieved"`
	Files   []string `json:"files_to_display,omitempty" jsonschema_description:"Names of files to hand over"`
}

type searchParams struct {
	Query  string `json:"query"`
	Engine string `json:"engine" jsonschema:"enum=duckduckgo,enum=google,enum=bing,default=duckduckgo" jsonschema_description:"Use duckduckgo unless told otherwise, it asks for fewer captchas"`
}

type navigateParams struct {
	URL    string `json:"url"`
	NewTab bool   `json:"new_tab" jsonschema:"default=false"`
}

type indexParams struct {
	Index int `json:"index" jsonschema:"minimum=1" jsonschema_description:"Index of the element, from the page state"`
}

type inputParams struct {
	Index int    `json:"index" jsonschema:"minimum=0" jsonschema_description:"Index of the element, from the page state"`
	Text  string `json:"text"`
	Clear bool   `json:"clear" jsonschema:"default=true" jsonschema_description:"Clear the field before typing; false appends"`
}

type uploadParams struct {
	Index int    `json:"index"`
	Path  string `json:"path"`
}

type tabParams struct {
	TabID string `json:"tab_id" jsonschema:"minLength=4,maxLength=4" jsonschema_description:"Four characters, from the list of tabs"`
}

type extractParams struct {
	Query         string   `json:"query" jsonschema_description:"What to extract"`
	ExtractLinks  bool     `json:"extract_links" jsonschema:"default=false" jsonschema_description:"Keep link targets; costs tokens"`
	ExtractImages bool     `json:"extract_images" jsonschema:"default=false" jsonschema_description:"Keep image sources"`
	Start         int      `json:"start_from_char" jsonschema:"minimum=0,default=0" jsonschema_description:"Where to go on when an earlier answer was cut"`
	Collected     []string `json:"already_collected,omitempty" jsonschema_description:"Items of earlier pages, so that they are not repeated"`
}

type searchPageParams struct {
	Pattern       string  `json:"pattern" jsonschema_description:"Text or regular expression to look for"`
	Regex         bool    `json:"regex" jsonschema:"default=false"`
	CaseSensitive bool    `json:"case_sensitive" jsonschema:"default=false"`
	ContextChars  int     `json:"context_chars" jsonschema:"minimum=0,default=150" jsonschema_description:"Characters around each match"`
	CSSScope      *string `json:"css_scope" jsonschema_description:"Limit the search to this CSS selector"`
	MaxResults    int     `json:"max_results" jsonschema:"minimum=1,default=25"`
}

type findElementsParams struct {
	Selector    string   `json:"selector" jsonschema_description:"CSS selector"`
	Attributes  []string `json:"attributes,omitempty" jsonschema_description:"Attributes to return, such as href or src"`
	MaxResults  int      `json:"max_results" jsonschema:"minimum=1,default=50"`
	IncludeText bool     `json:"include_text" jsonschema:"default=true"`
}

type scrollParams struct {
	Down  bool    `json:"down" jsonschema:"default=true" jsonschema_description:"false scrolls up"`
	Pages float64 `json:"pages" jsonschema:"exclusiveMinimum=0,maximum=10,default=1" jsonschema_description:"0.5 is half a page, 10 goes to the end"`
	Index *int    `json:"index" jsonschema_description:"Scroll within this element instead of the page"`
}

type pdfParams struct {
	FileName        *string `json:"file_name"`
	PrintBackground bool    `json:"print_background" jsonschema:"default=true"`
	Landscape       bool    `json:"landscape" jsonschema:"default=false"`
	Scale           float64 `json:"scale" jsonschema:"minimum=0.1,maximum=2,default=1"`
	PaperFormat     string  `json:"paper_format" jsonschema:"enum=Letter,enum=Legal,enum=A4,enum=A3,enum=Tabloid,default=Letter"`
	HeaderFooter    bool    `json:"display_header_footer" jsonschema:"default=true"`
	Header          *string `json:"header_template"`
	Footer          *string `json:"footer_template"`
}

type selectParams struct {
	Index int    `json:"index"`
	Text  string `json:"text" jsonschema_description:"Exact text of the option"`
}

type writeFileParams struct {
	FileName        string `json:"file_name"`
	Content         string `json:"content"`
	Append          bool   `json:"append" jsonschema:"default=false"`
	TrailingNewline bool   `json:"trailing_newline" jsonschema:"default=true"`
	LeadingNewline  bool   `json:"leading_newline" jsonschema:"default=false"`
}

type replaceFileParams struct {
	FileName string `json:"file_name"`
	Old      string `json:"old_str"`
	New      string `json:"new_str"`
}

// handle makes a handler that does nothing.
func handle[P any]() Handler {
	return Func(func(context.Context, P) (string, error) { return "done", nil })
}

// builtins returns a registry of the 24 actions.
func builtins() *Registry {
	r := New()
	nothing := func(context.Context) error { return nil }
	text := func(context.Context, string) error { return nil }
	r.MustAdd(Spec{Name: "done", Description: "Finish the task. Call it only when the task is complete or cannot be completed."}, handle[doneParams]())
	r.MustAdd(Spec{Name: "search", Description: "Search the web."}, handle[searchParams]())
	r.MustAdd(Spec{Name: "navigate", Description: "Go to a URL."}, handle[navigateParams]())
	r.MustAdd(Spec{Name: "go_back", Description: "Go back to the page before."}, nothing)
	r.MustAdd(Spec{Name: "wait", Description: "Wait some seconds, at most 30, for a page that is still loading."},
		func(context.Context, int) error { return nil }, Args("seconds"), Default("seconds", 3), Rule("seconds", "minimum=0,maximum=30"))
	r.MustAdd(Spec{Name: "click", Description: "Click an element by its index."}, handle[indexParams]())
	r.MustAdd(Spec{Name: "input", Description: "Type text into a field.", SecretFields: []string{"text"}}, handle[inputParams]())
	r.MustAdd(Spec{Name: "upload_file", Description: "Put a file into a file field."}, handle[uploadParams]())
	r.MustAdd(Spec{Name: "switch", Description: "Go to another tab."}, handle[tabParams]())
	r.MustAdd(Spec{Name: "close", Description: "Close a tab."}, handle[tabParams]())
	r.MustAdd(Spec{Name: "extract", Description: "Let a model extract structured information from the whole page by a query. Use it on pages that hold what is looked for; not for what the page state shows already, and not again with the same query on the same page."}, handle[extractParams]())
	r.MustAdd(Spec{Name: "search_page", Description: "Find text on the page, like grep. Fast and free: use it to check for content or to find the place before scrolling."}, handle[searchPageParams]())
	r.MustAdd(Spec{Name: "find_elements", Description: "List the elements that a CSS selector finds, like find. Fast and free: use it to explore the structure of a page or to count."}, handle[findElementsParams]())
	r.MustAdd(Spec{Name: "scroll", Description: "Scroll the page or an element by pages. Several pages in one call are fine."}, handle[scrollParams]())
	r.MustAdd(Spec{Name: "send_keys", Description: "Press keys, such as Enter, Escape, PageDown or Control+o."}, text, Args("keys"))
	r.MustAdd(Spec{Name: "find_text", Description: "Scroll to a text."}, text, Args("text"))
	r.MustAdd(Spec{Name: "screenshot", Description: "Take a picture of the viewport, for the next step or, with a name, into a file."},
		func(context.Context, *string) error { return nil }, Args("file_name"))
	r.MustAdd(Spec{Name: "save_as_pdf", Description: "Save the page as a PDF file."}, handle[pdfParams]())
	r.MustAdd(Spec{Name: "dropdown_options", Description: "List the options of a drop-down."}, handle[indexParams]())
	r.MustAdd(Spec{Name: "select_dropdown", Description: "Choose an option of a drop-down."}, handle[selectParams]())
	r.MustAdd(Spec{Name: "write_file", Description: "Write text into a file, or append to it. CSV values with commas must be quoted."}, handle[writeFileParams]())
	r.MustAdd(Spec{Name: "replace_file", Description: "Replace every occurrence of a text in a file."}, handle[replaceFileParams]())
	r.MustAdd(Spec{Name: "read_file", Description: "Read a file. Use it for what was saved earlier or given with the task."}, text, Args("file_name"))
	r.MustAdd(Spec{Name: "evaluate", Description: "Run JavaScript in the page and return its value. Write it as a function that is called at once, catch errors, return text or JSON, and use it for what no other action does: shadow DOM, custom widgets, drag and drop, many reads at once."},
		text, Args("code"))
	return r
}

// thought is an envelope as an agent has one.
type thought struct {
	Thinking   string   `json:"thinking"`
	Evaluation string   `json:"evaluation_previous_goal"`
	Memory     string   `json:"memory"`
	NextGoal   string   `json:"next_goal"`
	PlanItem   *int     `json:"current_plan_item"`
	PlanUpdate []string `json:"plan_update,omitempty"`
}
