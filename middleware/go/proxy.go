package site

import (
	"net"
	"net/http"
	"strings"
)

const proxyField = "x-drawbridge-proxy"

func (s *Site) fromProxy(r *http.Request) (*User, error) {
	for name := range r.Header {
		// CGI, WSGI and PHP read X_Auth_Subject as X-Auth-Subject: nobody honest sends it.
		usual := strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		if strings.Contains(name, "_") && (strings.HasPrefix(usual, "x-auth-") || strings.HasPrefix(usual, proxyField)) {
			return nil, Refused("underscore")
		}
	}
	if !s.isFromProxy(r) {
		return nil, Refused("not_from_proxy")
	}
	subject, err := field(r.Header, "X-Auth-Subject")
	if err != nil {
		return nil, err
	}
	session, err := field(r.Header, "X-Auth-Session")
	if err != nil {
		return nil, err
	}
	acr, err := field(r.Header, "X-Auth-Acr")
	switch {
	case err != nil:
		return nil, err
	case subject == "":
		return nil, Refused("missing")
	// The proxy asked about the website that this names, and visitors choose it.
	case !s.settings.ownHosts[s.settings.plainHost(r.Host)]:
		return nil, Refused("host")
	case session == "":
		return nil, Refused("malformed")
	}
	if err := s.refuseEnded(session); err != nil {
		return nil, err
	}
	user := &User{Subject: subject, Session: session, ACR: acr}
	return user, s.identify(user, r.Header)
}

func (s *Site) isFromProxy(r *http.Request) bool {
	holds := true
	if s.settings.ProxySecret != "" {
		said := r.Header.Values(proxyField)
		holds = len(said) == 1 && same(said[0], s.settings.ProxySecret)
	}
	if len(s.settings.networks) > 0 {
		host, _, err := net.SplitHostPort(r.RemoteAddr)
		if err != nil {
			return false
		}
		address, found := net.ParseIP(host), false
		for _, network := range s.settings.networks {
			found = found || (address != nil && network.Contains(address))
		}
		holds = holds && found
	}
	return holds
}
