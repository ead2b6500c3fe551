package demosite

type upload struct{}
type reportRow struct{}

func newReport(c *catalog) []reportRow { return nil }

func (s *Site) benchRoutes() {}
