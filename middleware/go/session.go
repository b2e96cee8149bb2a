package site

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

func (s *Site) fromSession(r *http.Request) (*User, error) {
	cookie, err := s.ownCookies(r, SessionCookie, s.settings.Cookie)
	if err != nil {
		return nil, err
	}
	if cookie == "" {
		return nil, Refused("missing")
	}
	return s.asked(cookie)
}

// Whom Drawbridge knows by its own cookies.
func (s *Site) asked(cookie string) (*User, error) {
	status, _, body, err := s.question("/session", http.Header{"Cookie": {cookie}})
	if err != nil {
		return nil, err
	}
	var said struct {
		Authenticated bool       `json:"authenticated"`
		Subject       string     `json:"sub"`
		ACR           string     `json:"acr"`
		AMR           []string   `json:"amr"`
		AuthTime      *time.Time `json:"auth_time"`
	}
	if status != http.StatusOK || json.Unmarshal(body, &said) != nil {
		return nil, fmt.Errorf("%w: /session answers with something else", ErrUnavailable)
	}
	if !said.Authenticated {
		return nil, Refused("missing")
	}
	if !isText(said.Subject) {
		return nil, fmt.Errorf("%w: /session names nobody", ErrUnavailable)
	}
	user := &User{Subject: said.Subject, ACR: said.ACR, AMR: said.AMR}
	if said.AuthTime != nil {
		user.AuthTime = said.AuthTime.Unix()
	}
	if len(s.settings.Identity) > 0 {
		if err := s.askIdentity(user, cookie); err != nil {
			return nil, err
		}
	}
	return user, nil
}

func (s *Site) askIdentity(user *User, cookie string) error {
	path := "/auth/check?identity=" + strings.Join(s.settings.Identity, ",")
	status, said, _, err := s.question(path, http.Header{"Cookie": {cookie}})
	if err != nil {
		return err
	}
	// It ended since the first question.
	if status == http.StatusUnauthorized {
		return Refused("missing")
	}
	subject, err := field(said, "X-Auth-Subject")
	if status != http.StatusOK || err != nil || subject != user.Subject || s.identify(user, said) != nil {
		return fmt.Errorf("%w: /auth/check answers with something else", ErrUnavailable)
	}
	return nil
}
