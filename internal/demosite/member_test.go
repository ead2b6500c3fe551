package demosite_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"

	"github.com/seed-4bdb41d0/webhand/internal/demosite"
)

// codeAt is what an authenticator app shows that was given OTPAuth.
func codeAt(t *testing.T, at time.Time) string {
	t.Helper()
	key, err := otp.NewKeyFromURL(demosite.OTPAuth)
	if err != nil {
		t.Fatalf("OTPAuth is no otpauth URL: %v", err)
	}
	code, err := totp.GenerateCode(key.Secret(), at)
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestSigningInTakesPasswordAndCode(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	if a := c.get("/account"); a.path != "/login" {
		t.Fatalf("the account of a stranger led to %s, want /login", a.path)
	}
	if a := c.get("/login/code"); a.path != "/login" {
		t.Fatalf("the code before the password led to %s, want /login", a.path)
	}
	if a := c.post("/login/code", "code", codeAt(t, time.Now())); a.path != "/login" {
		t.Fatalf("a code without a password led to %s, want /login", a.path)
	}
	a := c.post("/login", "user", demosite.User, "password", "wrong")
	a.want(t, http.StatusUnprocessableEntity, "do not belong together")
	if v, _ := attr(byID(a.page, "user"), "value"); v != demosite.User {
		t.Errorf("the user name is %q after a wrong password, want it kept", v)
	}
	c.post("/login", "user", demosite.User, "password", demosite.Password).want(t, 200, "One-time code")
	c.post("/login/code", "code", "12345").want(t, http.StatusUnprocessableEntity, "wrong or too old")
	c.post("/login/code", "code", codeAt(t, time.Now().Add(-time.Hour))).want(t, http.StatusUnprocessableEntity, "wrong or too old")

	a = c.post("/login/code", "code", codeAt(t, time.Now()))
	if a.path != "/account" {
		t.Fatalf("the right code led to %s, want /account", a.path)
	}
	if got := textOf(byID(a.page, "member-number")); got != demosite.MemberNumber {
		t.Errorf("#member-number says %q, want %q", got, demosite.MemberNumber)
	}
	c.get("/").want(t, 200, "Account")
	c.post("/logout").want(t, 200, "You are signed out", "Sign in")
	if a := c.get("/account"); a.path != "/login" {
		t.Errorf("the account after signing out led to %s, want /login", a.path)
	}
}

func TestFiveWrongCodesEndTheSignIn(t *testing.T) {
	c := visitorOf(t, serve(t, demosite.Config{}).URL)
	c.post("/login", "user", demosite.User, "password", demosite.Password)
	for range 4 {
		c.post("/login/code", "code", "000000x").want(t, http.StatusUnprocessableEntity, "wrong or too old")
	}
	c.post("/login/code", "code", "000000x").want(t, http.StatusUnprocessableEntity, "Too many wrong codes")
	if a := c.post("/login/code", "code", codeAt(t, time.Now())); a.path != "/login" {
		t.Errorf("the right code after five wrong ones led to %s, want /login", a.path)
	}
}

func TestDeletingTheAccountIsPerVisitor(t *testing.T) {
	srv := serve(t, demosite.Config{})
	signIn := func(c *client) answer {
		c.post("/login", "user", demosite.User, "password", demosite.Password)
		return c.post("/login/code", "code", codeAt(t, time.Now()))
	}
	one, two := visitorOf(t, srv.URL), visitorOf(t, srv.URL)
	signIn(one).want(t, 200, "Your account")
	one.post("/account/delete").want(t, 200, "Your account was deleted")
	one.post("/login", "user", demosite.User, "password", demosite.Password).want(t, http.StatusUnprocessableEntity, "This account was deleted")
	signIn(two).want(t, 200, "Your account")
	if a := visitorOf(t, srv.URL).post("/account/delete"); a.path != "/login" {
		t.Errorf("a stranger's delete led to %s, want /login", a.path)
	}
}
