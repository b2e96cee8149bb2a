// Package site tells a website who is signed in by Drawbridge, in front of any http.Handler. No dependency.
package site

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Version of this package, semantic.
const Version = "0.2.0"

// SignOutForm is Drawbridge's own page's: a form of the same origin ends the session and takes its cookies away.
const SignOutForm = `<form method="post" action="/session/logout"><button>Sign out</button></form>`

// ErrUnavailable says that nobody can say now who this is: 503, never "signed out" and never "signed in".
var ErrUnavailable = errors.New("drawbridge cannot be asked")

// Refused is what must not be believed, as one short word for the log.
type Refused string

func (r Refused) Error() string { return string(r) }

// notYet is a Refused that may be believed later: keys were asked for before and not now, or the fault is this website's.
type notYet struct{ Refused }

func (n notYet) Unwrap() error { return n.Refused }

// User is who is signed in. ACR and AuthTime are empty and zero where nobody says.
type User struct {
	Subject, Session, ACR string
	AMR                   []string
	// AuthTime is the sign-in, in Unix seconds; the source Proxy does not know it.
	AuthTime int64
	// Name, Email and Groups where Settings.Identity names them, as far as Drawbridge says them to this website.
	Name, Email string
	Groups      []string
}

// Site is one website. Safe for many goroutines; keep one for the process.
type Site struct {
	// Now is Unix seconds.
	Now   func() int64
	Fetch Fetch
	// Ended and Notices may be replaced before the first request, by stores that several processes share.
	Ended, Notices Memory

	settings Settings
	keys     keyStore
	outage   outage
}

// String says which one it is: what else it holds are secrets and what other goroutines change.
func (s *Site) String() string { return "site " + s.settings.Origin }

// GoString is String.
func (s *Site) GoString() string { return s.String() }

// New says what is wrong with settings that cannot work, or that would believe anybody.
func New(settings Settings) (*Site, error) {
	if err := settings.check(); err != nil {
		return nil, err
	}
	site := &Site{
		Now: func() int64 { return time.Now().Unix() }, Ended: NewMemory(100_000), Notices: NewMemory(100_000),
		settings: settings,
	}
	site.Fetch = site.ask()
	return site, nil
}

// Identify gives the user, or nil and the reason: "missing" is a visitor, anything else deserves a line in the log.
// The error wraps ErrUnavailable.
func (s *Site) Identify(r *http.Request) (*User, string, error) {
	var user *User
	var err error
	if len(r.Header.Values(questionField)) > 0 {
		return nil, "", fmt.Errorf("%w: this website is asked in its place", ErrUnavailable)
	}
	switch s.settings.Source {
	case Proxy:
		user, err = s.fromProxy(r)
	case Cookie:
		user, err = s.fromCookie(r)
	default:
		user, err = s.fromSession(r)
	}
	var refused Refused
	if errors.As(err, &refused) {
		return nil, string(refused), nil
	}
	return user, "", err
}

func (s *Site) refuseEnded(session string) error {
	isEnded, err := s.Ended.Has(session, s.Now())
	if err != nil {
		return fmt.Errorf("%w: the store of ended sessions says: %v", ErrUnavailable, err)
	}
	if isEnded {
		return Refused("ended")
	}
	return nil
}
