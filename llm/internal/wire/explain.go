package wire

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"
)

// CodeUnreachable is the [llm.Error] code of an endpoint nobody answers at.
const CodeUnreachable = "unreachable"

// explain says in words what a connection error means, and whether the same
// attempt can ever succeed. It never quotes the URL's query or user.
func explain(err error, u *url.URL) (code, message string, permanent bool) {
	host := u.Host
	var dns *net.DNSError
	var cert *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return CodeUnreachable, fmt.Sprintf("no host is named %s; check BaseURL", u.Hostname()), true
	case errors.Is(err, syscall.ECONNREFUSED):
		return CodeUnreachable, fmt.Sprintf("nothing listens at %s (connection refused); is the server running, and BaseURL right?", host), false
	case errors.As(err, &cert):
		return "tls", fmt.Sprintf("the certificate of %s is not trusted: %v", host, cert.Err), true
	case errors.As(err, &unknown):
		return "tls", fmt.Sprintf("the certificate of %s is not trusted: %v", host, unknown), true
	case errors.As(err, &header), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "tls", fmt.Sprintf("%s does not speak TLS; does BaseURL start with http://?", host), true
	case strings.Contains(err.Error(), "unsupported protocol scheme"):
		return "url", fmt.Sprintf("BaseURL %q needs a scheme, http:// or https://", u.Redacted()), true
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "cut", fmt.Sprintf("%s closed the connection before the answer was whole", host), false
	case errors.As(err, &dns):
		return CodeUnreachable, fmt.Sprintf("cannot look up %s: %s", u.Hostname(), dns.Err), false
	}
	// A net.OpError's own text names addresses only; a url.Error would quote
	// the whole URL.
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err
	}
	return "", fmt.Sprintf("no answer from %s: %v", host, err), false
}
