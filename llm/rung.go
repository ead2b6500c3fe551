package llm

// The methods by which an answer of a given shape can be had, from the most to
// the least reliable. A provider starts where the model is known to stand and
// moves one rung down each time the endpoint refuses a method.
const (
	RungSchema   = "json_schema" // the endpoint enforces the schema
	RungTool     = "tool"        // a forced call of one tool
	RungAutoTool = "tool_auto"   // one tool offered, for models that cannot be forced while they think
	RungObject   = "json_object" // any JSON object; the shape is described in words
	RungPrompt   = "prompt"      // nothing but words
)
