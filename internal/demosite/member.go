package demosite

type membership struct{ signedIn bool }

func (s *Site) memberRoutes() {}
