package site

import (
	"net/http"
	"net/url"
	"strings"
)

// SessionCookie opens a web session of Drawbridge.
const SessionCookie = "__Host-drawbridge_session"

const (
	// How many bytes of Set-Cookie take cookies away that came twice, and how long their paths may be: an answer's header
	// fields have to fit a proxy's buffer, which is 4096 bytes by nginx's default.
	mostTaking  = 2048
	longestPath = 100
	// To a browser a cookie with it is another one than that without, of the same name, domain and path.
	partitioned = "; Partitioned"
)

// cookies as they came: net/http drops values that it finds strange.
func cookies(r *http.Request, name string) (found []string) {
	for _, line := range r.Header.Values("Cookie") {
		for _, pair := range strings.Split(line, ";") {
			// One without a name comes as its value alone, which may be any text (RFC 6265bis).
			if key, value, named := strings.Cut(strings.Trim(pair, " \t"), "="); named && key == name {
				found = append(found, value)
			}
		}
	}
	return found
}

// isCookie says whether Drawbridge can have set it (RFC 6265 §4.1.1). Nothing else is sent on: a question that fails by
// what one visitor sends would count as an outage for all.
func isCookie(value string) bool {
	for i := 0; i < len(value); i++ {
		if value[i] < 0x21 || value[i] > 0x7e || strings.IndexByte("\",;\\", value[i]) >= 0 {
			return false
		}
	}
	return value != "" && len(value) <= 8192
}

// ownCookies are Drawbridge's own of the request, as one field. Two of a name count as none (contract §6): a website beside
// ours can plant a token, and must not keep the session's cookie from being heard.
func (s *Site) ownCookies(r *http.Request, names ...string) (string, error) {
	var pairs []string
	isRepeated := false
	for _, name := range names {
		values := cookies(r, name)
		isRepeated = isRepeated || len(values) > 1
		if len(values) == 1 && isCookie(values[0]) {
			pairs = append(pairs, name+"="+values[0])
		}
	}
	if len(pairs) == 0 && isRepeated {
		return "", Refused("repeated")
	}
	return strings.Join(pairs, "; "), nil
}

// takenCookies takes cookies away that came twice, from wherever they can have been set: a sign-in adds one, and would lead
// back here for ever.
func (s *Site) takenCookies(r *http.Request) (lines []string) {
	if s.settings.Source == Proxy {
		return nil
	}
	origin, _ := url.Parse(s.settings.Origin)
	var places []string
	for _, path := range cookiePaths(r.RequestURI) {
		places = append(places, "Path="+path)
		for _, domain := range cookieDomains(origin.Hostname()) {
			places = append(places, "Path="+path+"; Domain="+domain)
		}
	}
	room := mostTaking
	for _, name := range []string{SessionCookie, s.settings.Cookie} {
		if len(cookies(r, name)) < 2 {
			continue
		}
		of := places
		if strings.HasPrefix(name, "__Host-") {
			// Browsers refuse every other line about a name of this kind.
			of = []string{"Path=/"}
		}
		for _, place := range of {
			line := name + "=; Max-Age=0; " + place + "; Secure; HttpOnly"
			if room -= 2*len(line) + len(partitioned); room < 0 {
				return lines
			}
			lines = append(lines, line, line+partitioned)
		}
	}
	return lines
}

// cookiePaths are those of cookies that a browser sends to this target (RFC 6265 §5.1.4), the shortest first.
func cookiePaths(target string) []string {
	paths := []string{"/"}
	if !isReturnTarget(target) {
		return paths
	}
	path, _, _ := strings.Cut(target, "?")
	for end := 2; end <= len(path) && end <= longestPath; end++ {
		if path[end-1] == ';' {
			break
		}
		// Both /a and /a/ are paths of cookies that /a/b gets.
		if end == len(path) || path[end] == '/' || path[end-1] == '/' {
			paths = append(paths, path[:end])
		}
	}
	return paths
}

// cookieDomains are those for which a website beside this one can set a cookie that comes here.
func cookieDomains(host string) (domains []string) {
	labels := strings.Split(host, ".")
	if strings.Trim(labels[len(labels)-1], "0123456789") == "" {
		return nil
	}
	for at := range labels[1:] {
		domains = append(domains, strings.Join(labels[at:], "."))
	}
	return domains
}
