package memory

// Meter corrects an estimate of tokens by what a provider counted for earlier
// prompts. The zero value corrects nothing yet.
type Meter struct {
	Ratio float64 `json:"ratio,omitempty"`
}

// Observe tells the meter that a prompt estimated at estimated tokens was
// counted as actual tokens. Values that cannot be true are ignored.
func (m *Meter) Observe(estimated, actual int) {
	if estimated < 100 || actual <= 0 {
		return
	}
	r := float64(actual) / float64(estimated)
	if r < 0.2 || r > 5 {
		return
	}
	if m.Ratio == 0 {
		m.Ratio = r
		return
	}
	m.Ratio = 0.7*m.Ratio + 0.3*r
}

// Correct returns the estimate as the provider would count it.
func (m *Meter) Correct(estimated int) int {
	if m.Ratio == 0 {
		return estimated
	}
	return int(float64(estimated) * m.Ratio)
}

// Raw returns the estimate that [Meter.Correct] would turn into tokens.
func (m *Meter) Raw(tokens int) int {
	if m.Ratio == 0 {
		return tokens
	}
	return int(float64(tokens) / m.Ratio)
}
