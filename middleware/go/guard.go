package site

import (
	"context"
	"net/http"
)

// Demand is what a page asks for beyond a sign-in.
type Demand struct {
	// ACR are the values that will do.
	ACR []string
	// MaxAge is in seconds since the sign-in; 0 means any.
	MaxAge int64
}

type contextKey struct{}

// From gives the user of a request that came through Guard, or nil.
func From(r *http.Request) *User {
	user, _ := r.Context().Value(contextKey{}).(*User)
	return user
}

// Guard lets those through who may see the pages behind it. It panics for a demand that the source cannot answer.
func (s *Site) Guard(next http.Handler, demand Demand) http.Handler {
	if demand.MaxAge != 0 && s.settings.Source == Proxy {
		panic("a proxy does not say when somebody signed in: let it ask /auth/check?max_age=")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, _, err := s.Identify(r)
		if err == nil && user == nil {
			s.signIn(w, r)
			return
		}
		if err == nil && !s.isMet(user, demand) {
			var answered bool
			if answered, err = s.stepUp(w, r, user, demand); answered {
				return
			}
		}
		if err != nil {
			away(w)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, user)))
	})
}

func (s *Site) isMet(user *User, demand Demand) bool {
	holds := len(demand.ACR) == 0
	for _, value := range demand.ACR {
		// As Drawbridge itself judges (contract §6): two factors are one as well, and any other value is only itself.
		holds = holds || user.ACR == value && value != "" || user.ACR == "aal2" && value == "aal1"
	}
	return holds && (demand.MaxAge == 0 || user.AuthTime != 0 && s.Now()-user.AuthTime <= demand.MaxAge)
}

func (s *Site) signIn(w http.ResponseWriter, r *http.Request) {
	if !isPage(r) && !isForm(r) {
		refuse(w, "Bearer", "invalid_token")
		return
	}
	for _, line := range s.takenCookies(r) {
		w.Header().Add("Set-Cookie", line)
	}
	location := s.settings.SignIn
	if isForm(r) {
		unsent(w, location)
		return
	}
	if isReturnTarget(r.RequestURI) {
		location += "?redirect=" + encoded(r.RequestURI)
	}
	w.Header().Set("Vary", "Cookie")
	redirect(w, location)
}
