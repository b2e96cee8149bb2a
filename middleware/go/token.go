package site

import (
	"encoding/json"
	"errors"
	"net/http"
)

func (s *Site) fromCookie(r *http.Request) (*User, error) {
	user, err := s.fromToken(r)
	var refused, second Refused
	// A sign-in on Drawbridge's own page sets the other cookie, whatever the profile, and a token that has run out stays
	// beside it (contract §6). It is asked about alone: Drawbridge knows tokens that are not for us.
	secrets := cookies(r, SessionCookie)
	if !errors.As(err, &refused) || len(secrets) != 1 || !isCookie(secrets[0]) {
		return user, err
	}
	user, err = s.asked(SessionCookie + "=" + secrets[0])
	if errors.As(err, &second) {
		return nil, refused
	}
	return user, err
}

func (s *Site) fromToken(r *http.Request) (*User, error) {
	tokens := cookies(r, s.settings.Cookie)
	if len(tokens) == 0 || len(tokens) == 1 && tokens[0] == "" {
		return nil, Refused("missing")
	}
	// A website beside ours can set a second one for the whole domain.
	if len(tokens) > 1 {
		return nil, Refused("repeated")
	}
	return s.UserOf(tokens[0])
}

// UserOf an access token of this website; the error is a Refused or wraps ErrUnavailable.
func (s *Site) UserOf(accessToken string) (*User, error) {
	now := s.Now()
	claims, err := s.verified(accessToken, "at+jwt", algorithms, now)
	if err != nil {
		return nil, err
	}
	if err := claims.check(s.settings.Issuer, []string{s.settings.Audience}, now, s.settings.leeway); err != nil {
		return nil, err
	}
	if client, ok := claims.text("client_id"); !ok || !isOneOf(s.settings.ours(), client) {
		return nil, Refused("client")
	}
	// One that is bound to a key is no cookie's (RFC 9449 §7).
	if _, bound := claims["cnf"]; bound {
		return nil, Refused("bound")
	}
	user := &User{}
	var ok bool
	// A machine's token has no session, and is nobody's.
	if user.Subject, ok = claims.text("sub"); !ok {
		return nil, Refused("claims")
	}
	if user.Session, ok = claims.text("sid"); !ok {
		return nil, Refused("claims")
	}
	if claims.has("acr") {
		if user.ACR, ok = claims.text("acr"); !ok {
			return nil, Refused("claims")
		}
	}
	if claims.has("auth_time") {
		if user.AuthTime, ok = claims.time("auth_time"); !ok {
			return nil, Refused("claims")
		}
	}
	// Go takes what is null in a list of texts for an empty text.
	if claims.has("amr") && (json.Unmarshal(claims["amr"], &user.AMR) != nil || isOneOf(user.AMR, "")) {
		return nil, Refused("claims")
	}
	if err := s.refuseEnded(user.Session); err != nil {
		return nil, err
	}
	// Which sessions ended before then is not known any more.
	own, forgets := s.Ended.(interface{ Forgotten() int64 })
	if issued, _ := claims.time("iat"); forgets && issued <= own.Forgotten()-longestToken+s.settings.leeway {
		return nil, Refused("ended")
	}
	return user, nil
}
