package wire

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/seed-4bdb41d0/webhand/llm"
)

// The wordings below are those of the providers' own errors. A status alone
// does not tell a spent quota from a burst, nor a long prompt from a bad field.
var (
	saysContext  = regexp.MustCompile(`(?i)context[ _-]?(length|window|size)|maximum context|prompt is too long|input (is )?too long|too many (input )?tokens|exceeds? the (available|maximum|model'?s?)[^.]{0,40}(context|tokens)|input token count|reduce the length of the messages|request too large|string_above_max_length|input length and .max_tokens. exceed`)
	saysTooLarge = regexp.MustCompile(`(?i)request too large`)
	saysQuota    = regexp.MustCompile(`(?i)insufficient[_ ](quota|balance|credits?|funds)|exceeded your current quota|credit balance is too low|billing|payment required|out of credits|requires more credits|spending limit|quota[_ ]exhausted`)
	saysAuth     = regexp.MustCompile(`(?i)invalid[_ ]api[_ ]key|incorrect api key|api key not valid|api_key_invalid|authentication_error|invalid x-api-key|no auth credentials|unauthorized`)
	saysBusy     = regexp.MustCompile(`(?i)overloaded|try again later|temporarily|at capacity|unavailable|loading model|model is (currently )?loading`)
	saysFeature  = regexp.MustCompile(`(?i)format|schema|json|tool|function|structured|parameter`)
	saysRate     = regexp.MustCompile(`(?i)rate[_ -]?limit|too many requests|resource_exhausted|throttl`)
	saysFilter   = regexp.MustCompile(`(?i)content[_ ]?(filter|policy|management)|responsibleaipolicy|safety system|prohibited_content`)
)

// kindOf types a failure by its status and words.
func kindOf(status int, d detail) error {
	all := d.message + " " + d.code + " " + d.typ
	switch {
	case status == 401:
		return llm.ErrAuth
	case status == 403 && saysFilter.MatchString(all):
		return llm.ErrRefusal
	case status == 402, status == 403 && saysQuota.MatchString(all):
		return llm.ErrQuota
	case status == 403:
		return llm.ErrAuth
	case status == 408 || status == 504 || status == 524:
		return llm.ErrTimeout
	case status == 413:
		return llm.ErrContextLength
	case status == 429:
		if saysTooLarge.MatchString(all) || saysContext.MatchString(all) && !saysRate.MatchString(d.code) {
			return llm.ErrContextLength // larger than the whole minute's allowance
		}
		if saysQuota.MatchString(all) && d.delay == "" {
			return llm.ErrQuota
		}
		return llm.ErrRateLimit
	case status >= 500 && saysContext.MatchString(all):
		return llm.ErrContextLength // llama.cpp and older vLLM
	case status == 529, status == 503 && saysRate.MatchString(all):
		return llm.ErrRateLimit
	case status >= 500:
		return llm.ErrServer
	}
	// 4xx, and error objects under status 200.
	switch {
	case saysContext.MatchString(all):
		return llm.ErrContextLength
	case saysAuth.MatchString(all):
		return llm.ErrAuth
	case saysQuota.MatchString(all):
		return llm.ErrQuota
	case saysRate.MatchString(all):
		return llm.ErrRateLimit
	case saysFilter.MatchString(all):
		return llm.ErrRefusal
	case status/100 == 2, status == 409, status == 425:
		return llm.ErrServer
	case status == 400 && saysBusy.MatchString(all) && !saysFeature.MatchString(all):
		return llm.ErrServer
	}
	return llm.ErrBadRequest
}

var number = regexp.MustCompile(`\d[\d,_]*\d{2,}|\d{3,}`)

// windowIn reads the model's window and the request's size out of the words of
// a refusal. Providers name both in varying order; the smaller one is the
// limit, for otherwise nothing would have been refused.
func windowIn(message string) (limit, sent int) {
	for _, s := range number.FindAllString(message, -1) {
		n, err := strconv.Atoi(strings.NewReplacer(",", "", "_", "").Replace(s))
		if err != nil || n < 256 {
			continue
		}
		switch {
		case limit == 0:
			limit = n
		case sent == 0 && n != limit:
			sent = n
		}
	}
	if sent != 0 && sent < limit {
		limit, sent = sent, limit
	}
	return limit, sent
}
