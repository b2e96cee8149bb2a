package site

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// Source is where the user comes from.
type Source string

const (
	// Proxy: X-Auth-* of a proxy that asked /auth/check.
	Proxy Source = "proxy"
	// Cookie: the access token's cookie, verified here.
	Cookie Source = "cookie"
	// Session: Drawbridge is asked, at every request.
	Session Source = "session"
)

// Settings is what a website says of itself; docs/middleware.md has the table.
type Settings struct {
	Source         Source
	Origin         string
	Drawbridge     string
	Issuer         string
	ClientID       string
	Clients        []string
	Cookie         string
	Audience       string
	ProxySecret    string
	ProxyAddresses []string
	// Hosts are what the proxy may have in Host beside Origin's: further names of this website, or the one by which it asks.
	Hosts            []string
	WebhookSecrets   []string
	LogoutAlgorithms []string
	SignIn           string
	// Identity says which of "name", "email" and "groups" a user has. The proxy has to ask for them and to take away what
	// visitors send; with the source Session each request costs a second question.
	Identity []string
	// Leeway is by how many seconds clocks may differ; nil means 30.
	Leeway *int64

	networks []*net.IPNet
	ownHosts map[string]bool
	// standard is the port that the origin's scheme has anyway, as Host would say it.
	standard string
	leeway   int64
}

// String leaves the secrets out: settings end up in logs.
func (s Settings) String() string {
	s.ProxySecret, s.WebhookSecrets = "", nil
	// Without methods, or it would call this one.
	type plain Settings
	return fmt.Sprintf("%+v", plain(s))
}

// GoString is String.
func (s Settings) GoString() string { return s.String() }

// Every client that is this website's.
func (s *Settings) ours() []string { return append([]string{s.ClientID}, s.Clients...) }

func (s *Settings) check() error {
	if s.Source != Proxy && s.Source != Cookie && s.Source != Session {
		return errors.New("Source must be proxy, cookie or session")
	}
	for _, fails := range []func() error{
		s.checkOrigins, s.checkSecrets, s.checkAlgorithms, s.checkIdentity, s.readLeeway, s.readNetworks, s.readHosts,
	} {
		if err := fails(); err != nil {
			return err
		}
	}
	s.fillIn()
	return nil
}

func (s *Settings) checkOrigins() error {
	for name, value := range map[string]string{"Origin": s.Origin, "Drawbridge": s.Drawbridge, "Issuer": s.Issuer} {
		if value == "" && name != "Origin" {
			continue
		}
		address, err := url.Parse(value)
		if err != nil || address.Host == "" {
			return fmt.Errorf("%s is no address", name)
		}
		host := address.Hostname()
		plain := host == "127.0.0.1" || host == "::1" || host == "localhost"
		if address.Scheme != "https" && !(plain && address.Scheme == "http") {
			return fmt.Errorf("%s must be an https address (http on loopback), not %q", name, value)
		}
		if address.RawQuery != "" || address.Fragment != "" || address.User != nil || strings.HasSuffix(value, "/") {
			return fmt.Errorf("%s must have no query, fragment, user or slash at its end", name)
		}
	}
	return nil
}

func (s *Settings) checkSecrets() error {
	if s.Source == Proxy && s.ProxySecret == "" && len(s.ProxyAddresses) == 0 {
		return errors.New("X-Auth-* of anybody would be believed: set ProxySecret or ProxyAddresses")
	}
	if s.ProxySecret != "" && len(s.ProxySecret) < 32 {
		return errors.New("ProxySecret must have 32 characters or more")
	}
	if s.Source == Cookie && (s.Issuer == "" || s.ClientID == "") {
		return errors.New("the source Cookie needs Issuer and ClientID")
	}
	for _, secret := range s.WebhookSecrets {
		if len(secret) < 32 {
			return errors.New("a webhook secret must have 32 characters or more")
		}
	}
	return nil
}

func (s *Settings) checkAlgorithms() error {
	if s.LogoutAlgorithms == nil {
		s.LogoutAlgorithms = algorithms
	}
	for _, name := range s.LogoutAlgorithms {
		if !isOneOf(algorithms, name) {
			return errors.New("LogoutAlgorithms must be ES256, RS256 or both")
		}
	}
	return nil
}

func (s *Settings) checkIdentity() error {
	for _, name := range s.Identity {
		if name != "name" && name != "email" && name != "groups" {
			return errors.New("Identity must hold nothing but name, email and groups")
		}
	}
	if len(s.Identity) > 0 && s.Source == Cookie {
		return errors.New("an access token does not say identity: the source must be Proxy or Session")
	}
	if len(s.Identity) > 0 && s.Source == Session && s.Drawbridge == "" {
		return errors.New("Identity with the source Session needs Drawbridge: /auth/check is not at the website's origin")
	}
	return nil
}

func (s *Settings) readLeeway() error {
	s.leeway = 30
	if s.Leeway != nil {
		s.leeway = *s.Leeway
	}
	if s.leeway < 0 || s.leeway > 60 {
		return errors.New("Leeway must be 0 to 60 seconds")
	}
	return nil
}

func (s *Settings) readNetworks() error {
	s.networks = nil
	for _, text := range s.ProxyAddresses {
		if !strings.Contains(text, "/") {
			if strings.Contains(text, ":") {
				text += "/128"
			} else {
				text += "/32"
			}
		}
		_, network, err := net.ParseCIDR(text)
		if err != nil {
			return fmt.Errorf("ProxyAddresses: %w", err)
		}
		s.networks = append(s.networks, network)
	}
	return nil
}

// hostForm is a name or an address as in Host, with a port or without.
var hostForm = regexp.MustCompile(`^[\w.:\[\]-]+$`)

func (s *Settings) readHosts() error {
	address, err := url.Parse(s.Origin)
	if err != nil {
		return err
	}
	s.standard = map[string]string{"https": ":443", "http": ":80"}[address.Scheme]
	s.ownHosts = map[string]bool{s.plainHost(address.Host): true}
	for _, host := range s.Hosts {
		if !hostForm.MatchString(host) {
			return errors.New("Hosts must be names as in Host, such as www.example.com or localhost:8443")
		}
		s.ownHosts[s.plainHost(host)] = true
	}
	return nil
}

// plainHost is in small letters, and without the standard port.
func (s *Settings) plainHost(text string) string {
	return strings.TrimSuffix(strings.ToLower(text), s.standard)
}

// fillIn puts what is usual in the place of what is not set.
func (s *Settings) fillIn() {
	if s.Drawbridge == "" {
		s.Drawbridge = s.Origin
	}
	if s.Cookie == "" {
		s.Cookie = "access_token"
	}
	if s.Audience == "" {
		s.Audience = s.Issuer
	}
	if s.SignIn == "" {
		s.SignIn = "/session/sign-in"
	}
}
