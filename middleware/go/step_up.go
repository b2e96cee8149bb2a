package site

import (
	"fmt"
	"net/http"
	"strings"
)

// signOut is Drawbridge's own page.
const signOut = "/session/logout"

// challenge is for scripts, query for Drawbridge.
func (d Demand) challenge() (challenge string, query []string) {
	challenge = `Bearer error="insufficient_user_authentication"`
	if len(d.ACR) > 0 {
		values := strings.Join(d.ACR, " ")
		challenge += fmt.Sprintf(`, acr_values="%s"`, values)
		query = append(query, "acr="+encoded(values))
	}
	if d.MaxAge != 0 {
		challenge += fmt.Sprintf(`, max_age="%d"`, d.MaxAge)
		query = append(query, fmt.Sprintf("max_age=%d", d.MaxAge))
	}
	return challenge, query
}

// Drawbridge knows the way to a stronger sign-in and back; it also knows of one that our token is older than.
func (s *Site) stepUp(w http.ResponseWriter, r *http.Request, user *User, demand Demand) (answered bool, err error) {
	challenge, query := demand.challenge()
	names := []string{SessionCookie, s.settings.Cookie}
	if s.settings.Source == Cookie && user.Session == "" {
		// It is the session's cookie that says who this is.
		names = names[:1]
	}
	cookie, err := s.ownCookies(r, names...)
	if s.settings.Source == Proxy || cookie == "" || err != nil {
		refuse(w, challenge, "insufficient_user_authentication")
		return true, nil
	}
	headers := http.Header{"Cookie": {cookie}}
	if isPage(r) {
		wanted := ""
		if isReturnTarget(r.RequestURI) {
			wanted = encoded(r.RequestURI)
		}
		query = append(query, "redirect="+wanted)
		headers.Set("Accept", "text/html")
		headers.Set("Sec-Fetch-Mode", "navigate")
		headers.Set("Sec-Fetch-Dest", "document")
	}
	status, said, _, err := s.question("/auth/check?"+strings.Join(query, "&"), headers)
	if err != nil {
		return false, err
	}
	subject, malformed := field(said, "X-Auth-Subject")
	switch {
	case status == http.StatusOK && (malformed != nil || subject == ""):
		// It is not Drawbridge that names nobody.
		return false, fmt.Errorf("%w: /auth/check answers with something else", ErrUnavailable)
	case status == http.StatusOK && subject == user.Subject:
		return false, nil
	case status == http.StatusFound && said.Get("Location") != "":
		for _, line := range said.Values("Set-Cookie") {
			w.Header().Add("Set-Cookie", line)
		}
		redirect(w, said.Get("Location"))
	case status == http.StatusOK && isPage(r):
		// Token and session are two users'. Whose page it would be nobody can say, and signing out ends both.
		redirect(w, signOut)
	case status == http.StatusOK || status == http.StatusUnauthorized || status == http.StatusForbidden:
		refuse(w, challenge, "insufficient_user_authentication")
	default:
		return false, fmt.Errorf("%w: /auth/check answers %d", ErrUnavailable, status)
	}
	return true, nil
}
