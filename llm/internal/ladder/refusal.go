package ladder

import (
	"regexp"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// The wordings of endpoints that refuse a method or a setting.
var (
	unsupported = regexp.MustCompile(`(?i)unsupported|not (be )?support|unrecogni[sz]ed|unknown|unexpected|extra (inputs|fields)|not permitted|not allowed|only the default|deprecated|incompatible|not available|unavailable|not implemented|cannot be used|cannot both|must be 1\b|may only be set to 1|invalid (parameter|field|argument)|does not exist|no endpoints found`)
	outOfRange  = regexp.MustCompile(`(?i)maximum|minimum|between|out of range|less than|greater than|at (most|least)|above|below|too (large|small|high|low)`)

	aboutSchema = regexp.MustCompile(`(?i)response[_ ]?format|json[_ ]?schema|structured[_ ]output|output_(config|format)|schema|grammar|guided|samplers|requested parameters`)
	aboutTools  = regexp.MustCompile(`(?i)\btools?\b|tool[_ ]?(choice|use|call)|function|requested parameters`)
	aboutChoice = regexp.MustCompile(`(?i)tool[_ ]?choice|forc|thinking|reasoning|required or object|specified`)
	aboutObject = regexp.MustCompile(`(?i)response[_ ]?format|json[_ ]?(object|mode)|mime`)
	aboutImages = regexp.MustCompile(`(?i)image|vision|multimodal|multi-modal|mmproj`)
	aboutSystem = regexp.MustCompile(`(?i)system (role|message|prompt|instruction)|developer instruction|role.{0,20}system`)
	aboutRuns   = regexp.MustCompile(`(?i)roles must alternate|alternate (between )?user|consecutive (user|messages)`)
)

// settingsInWords are the settings recognised by their own name in a refusal.
var settingsInWords = []string{
	"max_completion_tokens", "max_tokens", "top_p", "temperature", "seed", "stop", "reasoning_effort",
	"parallel_tool_calls", "stream_options", "prompt_cache_key", CacheMarker, Strict, "thinking", "effort", "output_config",
}

// refusedSetting returns the setting that e refuses, if the request had it and
// can be made without.
func refusedSetting(p *Plan, e *llm.Error) string {
	if e.Kind != llm.ErrBadRequest && e.Kind != llm.ErrServer {
		return ""
	}
	if e.Kind == llm.ErrServer && !unsupported.MatchString(e.Message) {
		return ""
	}
	words := e.Param + " " + e.Message
	switch {
	case p.sent[Images] && aboutImages.MatchString(words) && unsupported.MatchString(words):
		return Images
	case p.sent[SystemRole] && aboutSystem.MatchString(words) && unsupported.MatchString(words):
		return SystemRole
	case p.sent[RoleRuns] && aboutRuns.MatchString(words):
		return RoleRuns
	}
	for _, s := range settingsInWords {
		if !mentions(words, s) || !p.sent[s] {
			continue
		}
		if s == "max_tokens" || s == "max_completion_tokens" {
			if p.sent[TokenCap] && unsupported.MatchString(words) {
				return TokenCap
			}
			continue
		}
		if unsupported.MatchString(words) && !outOfRange.MatchString(strings.ReplaceAll(words, "only the default", "")) {
			return s
		}
	}
	return ""
}

func mentions(words, name string) bool {
	for rest := words; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		end := i + len(name)
		if (i == 0 || !isWord(rest[i-1])) && (end == len(rest) || !isWord(rest[end])) {
			return true
		}
		rest = rest[end:]
	}
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// opaque matches refusals that say nothing.
var opaque = regexp.MustCompile(`(?i)^\W*((400|404|422|501)?\s*(bad request|invalid request|invalid_request_error|unprocessable entity|not implemented|provider returned error|unknown error|invalid argument|request contains an invalid argument|error)?)\W*$`)

// refusesRung says how many rungs to go down after e: none, one, or two when
// the next one needs the same feature of the endpoint.
func refusesRung(rung string, e *llm.Error, proven bool) int {
	if e.Kind != llm.ErrBadRequest && !(e.Kind == llm.ErrServer && (e.Status == 500 || e.Status == 501)) {
		return 0
	}
	if e.Code == "model_not_found" || mentions(e.Param, "model") || mentions(e.Param, "messages") {
		return 0
	}
	words := e.Param + " " + e.Code + " " + e.Message
	switch rung {
	case llm.RungSchema:
		if aboutSchema.MatchString(words) {
			return 1
		}
	case llm.RungTool:
		switch {
		case aboutChoice.MatchString(words):
			return 1
		case aboutTools.MatchString(words):
			return 2
		}
	case llm.RungAutoTool:
		if aboutTools.MatchString(words) {
			return 1
		}
	case llm.RungObject:
		if aboutObject.MatchString(words) {
			return 1
		}
	}
	if !proven && e.Kind == llm.ErrBadRequest && opaque.MatchString(e.Message) {
		return 1
	}
	return 0
}
