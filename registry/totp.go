package registry

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/totp"
)

// totpKey is a seed with the parameters of RFC 6238.
type totpKey struct {
	seed string
	opts totp.ValidateOpts
}

// minSeed is the least number of bytes in a seed that is not a mistake. RFC 4226
// asks for 16; services that hand out 10 exist.
const minSeed = 10

// minLife is how long a code must still be valid to be worth typing.
const minLife = 3 * time.Second

// parseTOTP reads a base32 seed or an otpauth URL. Errors never quote it.
func parseTOTP(s string) (*totpKey, error) {
	s = strings.TrimSpace(s)
	k := &totpKey{seed: s, opts: totp.ValidateOpts{Period: 30, Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}}
	if len(s) >= 8 && strings.EqualFold(s[:8], "otpauth:") {
		if err := k.fromURL(s); err != nil {
			return nil, err
		}
	}
	k.seed = strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\u00a0", "", "\t", "", "\n", "", "\r", "", "=", "").Replace(k.seed))
	if k.seed == "" {
		return nil, errors.New("the one-time-code seed is empty")
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(k.seed)
	if err != nil {
		return nil, errors.New("the one-time-code seed is not base32 (letters A to Z and digits 2 to 7)")
	}
	if len(b) < minSeed {
		return nil, fmt.Errorf("the one-time-code seed has %d bytes, too few to be one (at least %d)", len(b), minSeed)
	}
	return k, nil
}

func (k *totpKey) fromURL(s string) error {
	u, err := url.Parse(s)
	if err != nil {
		return errors.New("the otpauth URL cannot be read")
	}
	if !strings.EqualFold(u.Host, "totp") {
		return fmt.Errorf("otpauth type %q is not supported, only totp", u.Host)
	}
	q := u.Query()
	k.seed = q.Get("secret")
	if p := q.Get("period"); p != "" {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil || n < 5 || n > 3600 {
			return fmt.Errorf("otpauth period %q is not a number of seconds from 5 to 3600", p)
		}
		k.opts.Period = uint(n)
	}
	switch d := q.Get("digits"); d {
	case "", "6":
	case "7":
		k.opts.Digits = 7
	case "8":
		k.opts.Digits = otp.DigitsEight
	default:
		return fmt.Errorf("otpauth digits %q: must be 6, 7 or 8", d)
	}
	switch a := strings.ToUpper(strings.ReplaceAll(q.Get("algorithm"), "-", "")); a {
	case "", "SHA1":
	case "SHA256":
		k.opts.Algorithm = otp.AlgorithmSHA256
	case "SHA512":
		k.opts.Algorithm = otp.AlgorithmSHA512
	default:
		return fmt.Errorf("otpauth algorithm %q: must be SHA1, SHA256 or SHA512", a)
	}
	return nil
}

// code returns the code of the moment t.
func (k *totpKey) code(t time.Time) (string, error) {
	s, err := totp.GenerateCodeCustom(k.seed, t, k.opts)
	if err != nil {
		return "", errors.New("the one-time code could not be computed")
	}
	return s, nil
}

// fresh returns a code that lives for at least minLife, waiting for the next
// one if need be.
func (k *totpKey) fresh(ctx context.Context) (string, error) {
	now := time.Now()
	period := time.Duration(k.opts.Period) * time.Second
	left := period - time.Duration(now.UnixNano()%int64(period))
	if left < minLife {
		timer := time.NewTimer(left)
		defer timer.Stop()
		select {
		case <-timer.C:
			now = now.Add(left)
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
	return k.code(now)
}
