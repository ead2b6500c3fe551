package demosite

import (
	"net/http"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

// What a visitor signs in with. None of it opens anything but this site.
const (
	// User is the only member's user name.
	User = "demo"
	// Password goes with User.
	Password = "quiet-harbour-42"
	// TOTPSecret is the base32 secret of the second factor (RFC 6238, SHA-1,
	// 6 digits, 30 seconds).
	TOTPSecret = "MNQWY3LIN5WWKYLOMRUG63DMN53Q"
	// OTPAuth is TOTPSecret as authenticator apps take it.
	OTPAuth = "otpauth://totp/Wren%20%26%20Hollow:demo?secret=" + TOTPSecret + "&issuer=Wren%20%26%20Hollow"
	// MemberNumber is on the account page only. A test that looks for it in a
	// prompt or a log sees whether a secret leaked.
	MemberNumber = "4471-9023-5518"
)

// maxWrong is how many wrong codes end a sign-in.
const maxWrong = 5

// membership is how far a visitor is with signing in.
type membership struct {
	knowsPassword bool
	wrong         int
	signedIn      bool
	deleted       bool
}

func (s *Site) memberRoutes() {
	s.handle("GET /login", s.login)
	s.handle("POST /login", s.checkPassword)
	s.handle("GET /login/code", s.loginCode)
	s.handle("POST /login/code", s.checkCode)
	s.handle("GET /account", s.account)
	s.handle("POST /account/delete", s.deleteAccount)
	s.handle("POST /logout", s.logout)
}

// alterMember changes the membership under the lock and returns what it became.
func (v *visitor) alterMember(change func(*membership)) membership {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(&v.member)
	return v.member
}

func (v *visitor) membership() membership { return v.alterMember(func(*membership) {}) }

// loginForm is what the sign-in pages show.
type loginForm struct{ User, Error string }

func (s *Site) login(w http.ResponseWriter, r *http.Request, v *visitor) {
	if v.membership().signedIn {
		http.Redirect(w, r, "/account", http.StatusSeeOther)
		return
	}
	s.showLogin(w, v, http.StatusOK, loginForm{})
}

func (s *Site) showLogin(w http.ResponseWriter, v *visitor, status int, f loginForm) {
	s.render(w, v, status, "login", view{Title: "Sign in", Section: "account", Data: f})
}

func (s *Site) showCode(w http.ResponseWriter, v *visitor, status int, f loginForm) {
	s.render(w, v, status, "login-code", view{Title: "Enter your code", Section: "account", Data: f})
}

func (s *Site) checkPassword(w http.ResponseWriter, r *http.Request, v *visitor) {
	f := loginForm{User: r.PostFormValue("user")}
	switch {
	case f.User != User || r.PostFormValue("password") != Password:
		f.Error = "That user name and password do not belong together."
	case v.membership().deleted:
		f.Error = "This account was deleted."
	}
	if f.Error != "" {
		s.showLogin(w, v, http.StatusUnprocessableEntity, f)
		return
	}
	v.alterMember(func(m *membership) { m.knowsPassword, m.wrong = true, 0 })
	http.Redirect(w, r, "/login/code", http.StatusSeeOther)
}

func (s *Site) loginCode(w http.ResponseWriter, r *http.Request, v *visitor) {
	if !v.membership().knowsPassword {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	s.showCode(w, v, http.StatusOK, loginForm{})
}

func (s *Site) checkCode(w http.ResponseWriter, r *http.Request, v *visitor) {
	if !v.membership().knowsPassword {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	if validCode(r.PostFormValue("code"), s.cfg.Now()) {
		v.alterMember(func(m *membership) { *m = membership{signedIn: true} })
		http.Redirect(w, r, "/account", http.StatusSeeOther)
		return
	}
	m := v.alterMember(func(m *membership) {
		m.wrong++
		m.knowsPassword = m.wrong < maxWrong
	})
	if !m.knowsPassword {
		s.showLogin(w, v, http.StatusUnprocessableEntity, loginForm{Error: "Too many wrong codes. Sign in again."})
		return
	}
	s.showCode(w, v, http.StatusUnprocessableEntity, loginForm{Error: "That code is wrong or too old. Enter the newest one."})
}

// validCode accepts the code of now and of the period before and after, as
// RFC 6238 section 5.2 recommends for clocks that are a little apart.
func validCode(code string, now time.Time) bool {
	ok, err := totp.ValidateCustom(code, TOTPSecret, now, totp.ValidateOpts{
		Period: 30, Skew: 1, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1,
	})
	return err == nil && ok
}

func (s *Site) account(w http.ResponseWriter, r *http.Request, v *visitor) {
	if !v.membership().signedIn {
		v.setFlash("Please sign in to see your account.")
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	s.render(w, v, http.StatusOK, "account", view{Title: "Your account", Section: "account", Data: struct {
		User, MemberNumber string
		Orders             []Order
	}{User, MemberNumber, v.ordersPlaced()}})
}

func (s *Site) deleteAccount(w http.ResponseWriter, r *http.Request, v *visitor) {
	if !v.membership().signedIn {
		http.Redirect(w, r, "/login", http.StatusSeeOther)
		return
	}
	v.alterMember(func(m *membership) { *m = membership{deleted: true} })
	v.setFlash("Your account was deleted.")
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

func (s *Site) logout(w http.ResponseWriter, r *http.Request, v *visitor) {
	v.alterMember(func(m *membership) { m.signedIn, m.knowsPassword = false, false })
	v.setFlash("You are signed out.")
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
