// Package site tells a website who is signed in by Drawbridge, in front of any http.Handler. No dependency.
package site

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Version of this package, semantic.
const Version = "0.2.0"

// SessionCookie opens a web session of Drawbridge.
const SessionCookie = "__Host-drawbridge_session"

// SignOutForm is Drawbridge's own page's: a form of the same origin ends the session and takes its cookies away.
const SignOutForm = `<form method="post" action="/session/logout"><button>Sign out</button></form>`

const (
	proxyField = "x-drawbridge-proxy"
	// Of each own question. A request with it is one that this website, asked in place of Drawbridge, sent itself.
	questionField = "Drawbridge-Question"
	signOut       = "/session/logout"
	logoutEvent   = "http://schemas.openid.net/event/backchannel-logout"
	// Seconds: an access token lives at most a day; a notice is tried for a day.
	longestToken = 86400
	noticeMemory = 2 * 86400
	// Seconds for which a handler may take; a process that dies over a notice is waited for no longer.
	longestHandler = 300
	// Seconds for which nobody asks again after Drawbridge failed.
	outagePause = 2
	// How many answers of 500 and above in a row are an outage. One alone may be about one visitor.
	outageAnswers = 3
	// How many bytes of Set-Cookie take cookies away that came twice, and how long their paths may be: an answer's header
	// fields have to fit a proxy's buffer, which is 4096 bytes by nginx's default.
	mostTaking  = 2048
	longestPath = 100
	// To a browser a cookie with it is another one than that without, of the same name, domain and path.
	partitioned = "; Partitioned"
)

// ErrUnavailable says that nobody can say now who this is: 503, never "signed out" and never "signed in".
var ErrUnavailable = errors.New("drawbridge cannot be asked")

// Refused is what must not be believed, as one short word for the log.
type Refused string

func (r Refused) Error() string { return string(r) }

// notYet is a Refused that may be believed in half a minute: keys were asked for before and not now.
type notYet struct{ Refused }

func (n notYet) Unwrap() error { return n.Refused }

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
	Source           Source
	Origin           string
	Drawbridge       string
	Issuer           string
	ClientID         string
	Clients          []string
	Cookie           string
	Audience         string
	ProxySecret      string
	ProxyAddresses   []string
	WebhookSecrets   []string
	LogoutAlgorithms []string
	SignIn           string
	// Identity says which of "name", "email" and "groups" a user has. The proxy has to ask for them and to take away what
	// visitors send; with the source Session each request costs a second question.
	Identity []string
	// Leeway is by how many seconds clocks may differ; nil means 30.
	Leeway *int64

	networks []*net.IPNet
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

const (
	keysFresh = 300
	keysPause = 30
	keysStale = 3600
)

func (s *Settings) check() error {
	if s.Source != Proxy && s.Source != Cookie && s.Source != Session {
		return errors.New("Source must be proxy, cookie or session")
	}
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
	if s.LogoutAlgorithms == nil {
		s.LogoutAlgorithms = algorithms
	}
	for _, name := range s.LogoutAlgorithms {
		if !isOneOf(algorithms, name) {
			return errors.New("LogoutAlgorithms must be ES256, RS256 or both")
		}
	}
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
	s.leeway = 30
	if s.Leeway != nil {
		s.leeway = *s.Leeway
	}
	if s.leeway < 0 || s.leeway > 60 {
		return errors.New("Leeway must be 0 to 60 seconds")
	}
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
	return nil
}

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

// Fetch asks Drawbridge. It returns an error that wraps ErrUnavailable when there is no whole answer.
type Fetch func(path string, headers http.Header) (status int, answer http.Header, body []byte, err error)

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

// outage remembers that Drawbridge failed: nobody waits for it for two seconds, and then one at a time, until it answers.
type outage struct {
	sync.Mutex
	// When it failed last; nil while it is not away.
	failed *int64
	// Answers of 500 and above in a row; no answer at all counts for as many as are an outage.
	bad       int
	isProbing bool
}

func (o *outage) begin(now int64) (isProbe, mayAsk bool) {
	o.Lock()
	defer o.Unlock()
	if o.failed == nil {
		return false, true
	}
	// A clock that was set back keeps nobody away.
	if o.isProbing || now >= *o.failed && now-*o.failed < outagePause {
		return false, false
	}
	o.isProbing = true
	return true, true
}

func (o *outage) end(isProbe bool, counts int, now int64) {
	o.Lock()
	defer o.Unlock()
	o.bad += counts
	if counts == 0 {
		o.bad = 0
	}
	o.failed = nil
	if o.bad >= outageAnswers {
		o.failed = &now
	}
	if isProbe {
		o.isProbing = false
	}
}

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

// question is for Drawbridge. Keys are fetched without it: they remember themselves when they were asked for in vain.
func (s *Site) question(path string, headers http.Header) (status int, answer http.Header, body []byte, err error) {
	isProbe, mayAsk := s.outage.begin(s.Now())
	if !mayAsk {
		return 0, nil, nil, fmt.Errorf("%w: it did not answer just now", ErrUnavailable)
	}
	counts := outageAnswers
	// After a panic too.
	defer func() { s.outage.end(isProbe, counts, s.Now()) }()
	status, answer, body, err = s.fetch(path, headers)
	if err == nil && status >= 500 {
		counts = 1
	} else if err == nil {
		counts = 0
	}
	return status, answer, body, err
}

func (s *Site) fetch(path string, headers http.Header) (status int, answer http.Header, body []byte, err error) {
	headers.Set(questionField, "1")
	return s.Fetch(path, headers)
}

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
	case session == "":
		return nil, Refused("malformed")
	}
	if err := s.refuseEnded(session); err != nil {
		return nil, err
	}
	user := &User{Subject: subject, Session: session, ACR: acr}
	return user, s.identify(user, r.Header)
}

// identify reads as much as Settings.Identity wants. What it does not want, a proxy need not take away from visitors.
func (s *Site) identify(user *User, said http.Header) (err error) {
	for _, name := range s.settings.Identity {
		switch name {
		case "name":
			user.Name, err = field(said, "X-Auth-Name")
		case "email":
			user.Email, err = field(said, "X-Auth-Email")
		default:
			user.Groups, err = list(said, "X-Auth-Groups")
		}
		if err != nil {
			return err
		}
	}
	return nil
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

func field(said http.Header, name string) (string, error) {
	values := said.Values(name)
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return "", nil
	}
	// Servers join repeated fields with a comma, so a comma may be a second voice.
	if len(values) > 1 || strings.Contains(values[0], ",") {
		return "", Refused("repeated")
	}
	text, ok := decoded(values[0])
	if !ok || !isText(text) {
		return "", Refused("malformed")
	}
	return text, nil
}

// list has commas between the texts; within one they are encoded.
func list(said http.Header, name string) (texts []string, err error) {
	values := said.Values(name)
	if len(values) == 0 || len(values) == 1 && values[0] == "" {
		return nil, nil
	}
	if len(values) > 1 {
		return nil, Refused("repeated")
	}
	for _, value := range strings.Split(values[0], ",") {
		text, ok := decoded(value)
		if !ok || !isText(text) {
			return nil, Refused("malformed")
		}
		texts = append(texts, text)
	}
	return texts, nil
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

var plainField = regexp.MustCompile(`\A(?:[\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*\z`)

// Drawbridge percent-encodes whatever is not visible ASCII.
func decoded(value string) (string, bool) {
	if !plainField.MatchString(value) {
		return "", false
	}
	text, err := url.PathUnescape(value)
	return text, err == nil && utf8.ValidString(text)
}

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
	if !isPage(r) {
		refuse(w, "Bearer", "invalid_token")
		return
	}
	location := s.settings.SignIn
	if isReturnTarget(r.RequestURI) {
		location += "?redirect=" + encoded(r.RequestURI)
	}
	w.Header().Set("Vary", "Cookie")
	for _, line := range s.takenCookies(r) {
		w.Header().Add("Set-Cookie", line)
	}
	redirect(w, location)
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

func redirect(w http.ResponseWriter, location string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}

// Drawbridge knows the way to a stronger sign-in and back; it also knows of one that our token is older than.
func (s *Site) stepUp(w http.ResponseWriter, r *http.Request, user *User, demand Demand) (answered bool, err error) {
	challenge := `Bearer error="insufficient_user_authentication"`
	var query []string
	if len(demand.ACR) > 0 {
		values := strings.Join(demand.ACR, " ")
		challenge += fmt.Sprintf(`, acr_values="%s"`, values)
		query = append(query, "acr="+encoded(values))
	}
	if demand.MaxAge != 0 {
		challenge += fmt.Sprintf(`, max_age="%d"`, demand.MaxAge)
		query = append(query, fmt.Sprintf("max_age=%d", demand.MaxAge))
	}
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

// Webhook takes signed notices, docs/webhooks.md: each is handled once.
func (s *Site) Webhook(handle func(event map[string]any) error) http.Handler {
	return s.receiver(func(r *http.Request, body []byte, now int64) (notice, error) {
		return s.notice(body, r.Header.Get("Drawbridge-Webhook-Signature"), now)
	}, handle)
}

// BackchannelLogout takes logout tokens (OpenID Connect Back-Channel Logout 1.0, §2.6).
func (s *Site) BackchannelLogout(handle func(claims map[string]any) error) http.Handler {
	return s.receiver(func(_ *http.Request, body []byte, now int64) (notice, error) { return s.logout(body, now) }, handle)
}

type notice struct {
	name    string
	until   int64
	session string
	body    map[string]any
}

func (s *Site) receiver(
	read func(*http.Request, []byte, int64) (notice, error), handle func(map[string]any) error,
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			say(w, http.StatusMethodNotAllowed, "refused")
			return
		}
		body, err := io.ReadAll(io.LimitReader(r.Body, 65537))
		if err != nil || len(body) > 65536 {
			say(w, http.StatusBadRequest, "too_large")
			return
		}
		now := s.Now()
		found, err := read(r, body, now)
		// A 4xx settles it; after a 5xx it comes again.
		var pending notYet
		if errors.As(err, &pending) {
			say(w, http.StatusServiceUnavailable, pending.Error())
			return
		}
		var refused Refused
		if errors.As(err, &refused) {
			say(w, http.StatusBadRequest, string(refused))
			return
		}
		if err != nil {
			away(w)
			return
		}
		status, word, err := s.once(found, handle, now)
		if err != nil {
			status, word = http.StatusInternalServerError, "failed"
		}
		say(w, status, word)
	})
}

// once gives status and word of the answer. After an error the notice has to come again.
func (s *Site) once(found notice, handle func(map[string]any) error, now int64) (int, string, error) {
	// Known is what was handled. While it is in hand a repeat has to come again: the handler may fail yet.
	if isKnown, err := s.Notices.Has(found.name, now); err != nil || isKnown {
		return http.StatusOK, "known", err
	}
	if isText(found.session) {
		if state, err := s.Ended.Add(found.session, now+longestToken, now); err != nil || state == "full" {
			return http.StatusServiceUnavailable, "full", err
		}
	}
	inHand := "in hand " + found.name
	// Full, it cannot tell a repeat. Handlers have to bear one anyway; not to hear of an end they need not.
	if state, err := s.Notices.Add(inHand, now+longestHandler, now); err != nil || state == "known" {
		return http.StatusServiceUnavailable, "in_hand", err
	}
	// After a panic too.
	defer s.Notices.Forget(inHand)
	// Handled between the two looks above.
	if isKnown, err := s.Notices.Has(found.name, now); err != nil || isKnown {
		return http.StatusOK, "known", err
	}
	if handle != nil {
		if err := handle(found.body); err != nil {
			return 0, "", err
		}
	}
	state, err := s.Notices.Add(found.name, found.until, now)
	if state == "full" {
		// It takes the place of its being in hand.
		s.Notices.Forget(inHand)
		_, err = s.Notices.Add(found.name, found.until, now)
	}
	return http.StatusOK, "handled", err
}

var digits = regexp.MustCompile(`\A[0-9]{1,12}\z`)

func (s *Site) notice(body []byte, signature string, now int64) (notice, error) {
	var times, codes []string
	for _, part := range strings.Split(signature, ",") {
		name, value, found := strings.Cut(part, "=")
		switch {
		case found && name == "t":
			times = append(times, value)
		case found && name == "v1":
			codes = append(codes, value)
		}
	}
	if len(times) != 1 || !digits.MatchString(times[0]) {
		return notice{}, Refused("signature")
	}
	holds := false
	for _, secret := range s.settings.WebhookSecrets {
		code := hmac.New(sha256.New, []byte(secret))
		code.Write([]byte(times[0] + "."))
		code.Write(body)
		expected := hex.EncodeToString(code.Sum(nil))
		for _, value := range codes {
			// All are compared, so that the time does not tell which one fits.
			holds = same(value, expected) || holds
		}
	}
	if !holds {
		return notice{}, Refused("signature")
	}
	at, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil || now-at > 300 || at-now > 300 {
		return notice{}, Refused("stale")
	}
	event, err := object(body)
	if err != nil {
		return notice{}, err
	}
	id, hasID := event.text("id")
	kind, hasKind := event.text("type")
	if !hasID || !hasKind {
		return notice{}, Refused("malformed")
	}
	if client, _ := event.text("client_id"); s.settings.ClientID != "" && !isOneOf(s.settings.ours(), client) {
		return notice{}, Refused("client")
	}
	session := ""
	if strings.HasSuffix(kind, "session.ended") {
		session, _ = event.text("sid")
	}
	return notice{id, now + noticeMemory, session, event.plain()}, nil
}

func (s *Site) logout(form []byte, now int64) (notice, error) {
	values, err := url.ParseQuery(string(form))
	tokens := values["logout_token"]
	if err != nil || len(tokens) != 1 || s.settings.Issuer == "" || s.settings.ClientID == "" {
		return notice{}, Refused("malformed")
	}
	claims, err := s.verified(tokens[0], "logout+jwt", s.settings.LogoutAlgorithms, now)
	if err != nil {
		return notice{}, err
	}
	if err := claims.check(s.settings.Issuer, s.settings.ours(), now, s.settings.leeway); err != nil {
		return notice{}, err
	}
	events, err := object(claims["events"])
	if err != nil {
		return notice{}, Refused("claims")
	}
	if _, err := object(events[logoutEvent]); err != nil {
		return notice{}, Refused("claims")
	}
	session, hasSession := claims.text("sid")
	id, hasID := claims.text("jti")
	if _, hasNonce := claims["nonce"]; hasNonce || !hasSession || !hasID {
		return notice{}, Refused("claims")
	}
	end, _ := claims.time("exp")
	return notice{"logout:" + id, end + s.settings.leeway, session, claims.plain()}, nil
}

// isPage says whether somebody looks: a script has no use for a sign-in page.
func isPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	mode, destination := r.Header.Values("Sec-Fetch-Mode"), r.Header.Values("Sec-Fetch-Dest")
	if len(mode)+len(destination) > 0 {
		return strings.Join(mode, ",") == "navigate" && strings.Join(destination, ",") == "document"
	}
	return strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Accept"), ",")), "text/html")
}

// isReturnTarget: a path of this website; not //elsewhere nor /\elsewhere, which browsers read as another host.
func isReturnTarget(target string) bool {
	if len(target) == 0 || len(target) > 2048 || target[0] != '/' || strings.HasPrefix(target, "//") {
		return false
	}
	for i := 0; i < len(target); i++ {
		if target[i] < 0x21 || target[i] > 0x7e || target[i] == '\\' {
			return false
		}
	}
	return true
}

// encoded percent-encodes all but RFC 3986's unreserved characters.
func encoded(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

func isOneOf(accepted []string, value string) bool {
	for _, one := range accepted {
		if one == value {
			return true
		}
	}
	return false
}

func isText(value string) bool { return value != "" && len(value) <= 1024 }

// same compares in a time that tells neither where nor how long.
func same(one, other string) bool {
	first, second := sha256.Sum256([]byte(one)), sha256.Sum256([]byte(other))
	return subtle.ConstantTimeCompare(first[:], second[:]) == 1
}

func refuse(w http.ResponseWriter, challenge, word string) {
	w.Header().Set("WWW-Authenticate", challenge)
	write(w, http.StatusUnauthorized, "error", word)
}

func say(w http.ResponseWriter, status int, word string) { write(w, status, "result", word) }

func write(w http.ResponseWriter, status int, name, word string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"%s": "%s"}`, name, word)
}

func away(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "5")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusServiceUnavailable)
}

// No redirects, no proxy, three seconds for all of it, 256 KiB.
func (s *Site) ask() Fetch {
	client := &http.Client{
		Timeout:       3 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	// What else the website has put in its place is left as it is.
	if usual, isPlain := http.DefaultTransport.(*http.Transport); isPlain {
		own := usual.Clone()
		own.Proxy = nil
		// Over HTTP/2 all questions share one connection: one that fell silent would be waited for again and again, and a
		// server that closes it for what one visitor sent would close it for all.
		own.ForceAttemptHTTP2, own.TLSNextProto = false, map[string]func(string, *tls.Conn) http.RoundTripper{}
		if own.TLSClientConfig != nil {
			own.TLSClientConfig.NextProtos = nil
		}
		// Go keeps two, and with many visitors would open a connection for nearly every question.
		if own.MaxIdleConnsPerHost == 0 {
			own.MaxIdleConnsPerHost = 100
		}
		client.Transport = own
	}
	origin, _ := url.Parse(s.settings.Origin)
	return func(path string, headers http.Header) (int, http.Header, []byte, error) {
		request, err := http.NewRequest(http.MethodGet, s.settings.Drawbridge+path, nil)
		if err != nil {
			return 0, nil, nil, err
		}
		request.Header = headers
		// Drawbridge knows its origins by Host: the browser's, not the name of the machine.
		request.Host = origin.Host
		response, err := client.Do(request)
		if err != nil {
			return 0, nil, nil, fmt.Errorf("%w: no answer", ErrUnavailable)
		}
		defer response.Body.Close()
		body, err := io.ReadAll(io.LimitReader(response.Body, 262_145))
		if err != nil || len(body) > 262_144 {
			return 0, nil, nil, fmt.Errorf("%w: no whole answer", ErrUnavailable)
		}
		return response.StatusCode, response.Header, bytes.TrimSpace(body), nil
	}
}
