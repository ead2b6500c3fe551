package browser

// Check reports every broken pattern and scheme of the policy. [New] and
// [Launch] check as well; who opens sessions later finds out earlier with it.
func (p Policy) Check() error {
	_, err := newPolicy(p)
	return err
}
