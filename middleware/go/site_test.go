// The shared table, and what is Go's own.
package site

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
)

type step struct {
	Now                         int64
	Serves                      any
	Token, Expect, Body, Header string
	Form                        string
	Fetches, Status             int
}

type sequence struct {
	ID    string
	Steps []step
}

var table struct {
	Settings map[string]any
	Now      int64
	Keys     map[string]any
	Serves   []any
	Tokens   []struct {
		ID, Token string
		Now       int64
		Expect    map[string]any
	}
	Proxies []struct {
		ID, Peer string
		Headers  [][2]string
		Settings struct {
			Secret    string   `json:"proxy_secret"`
			Addresses []string `json:"proxy_addresses"`
			Hosts     []string
		}
		Claimed bool
		Expect  map[string]any
	}
	Cookies []struct {
		ID, Expect, Refused string
		Cookie              []string
		Headers             [][2]string
		Session             json.RawMessage
	}
	Identities []struct {
		ID       string
		Identity []string
		Headers  [][2]string
		Expect   struct {
			Name, Email, Refused string
			Groups               []string
		}
	}
	IdentityAnswers []struct {
		ID, Expect string
		Status     int
		Headers    [][2]string
	} `json:"identity_answers"`
	Outages []struct {
		ID    string
		Steps []struct {
			Now                   int64
			Session, Check, Asked int
			Expect                string
			ACR                   []string
		}
	}
	Rotation, Webhooks, Logouts []sequence
	Returns                     []struct {
		ID, Method, Target string
		SignIn             string `json:"sign_in"`
		Headers            [][2]string
		Expect             struct {
			Status                          int
			Location, Challenge, Type, Body string
			Cookies                         []string
		}
	}
	Demands []struct {
		ID, Token, Expect string
		Now               int64
		ACR               []string
		MaxAge            int64 `json:"max_age"`
	}
	ProxyDemands []struct {
		ID, Expect string
		Headers    [][2]string
		ACR        []string
	} `json:"proxy_demands"`
	StepUps []struct {
		ID, Source, Target string
		Cookie, ACR        []string
		Headers            [][2]string
		Session            json.RawMessage
		Check              struct {
			Status  int
			Headers [][2]string
		}
		Asked  [][2]string
		Expect struct {
			User, Location string
			Status         int
			Cookies        []string
		}
	} `json:"step_ups"`
	Ended struct {
		Webhook, Logout step
		Token           string
		LoggedOut       string `json:"logged_out_token"`
		Other           string `json:"other_token"`
		Lasting         string `json:"lasting_token"`
		OtherLasting    string `json:"other_lasting_token"`
		Later           string `json:"later_token"`
		Late            int64
		More            []step
		ProxySecret     string      `json:"proxy_secret"`
		ProxyHeaders    [][2]string `json:"proxy_headers"`
	}
}

func TestMain(m *testing.M) {
	data, err := os.ReadFile("../cases/cases.json")
	if err == nil {
		err = json.Unmarshal(data, &table)
	}
	if err != nil || len(table.Tokens) < 40 || len(table.Proxies) < 30 || len(table.Webhooks) < 20 {
		panic(fmt.Sprint("the table cannot be read: ", err))
	}
	os.Exit(m.Run())
}

type provider struct {
	serves any
	asked  int
}

func (p *provider) fetch(path string, _ http.Header) (int, http.Header, []byte, error) {
	p.asked++
	if p.serves == "down" {
		return 0, nil, nil, ErrUnavailable
	}
	if p.serves == "garbage" {
		return 200, nil, []byte("<html>"), nil
	}
	keys := []any{}
	for _, name := range p.serves.([]any) {
		keys = append(keys, table.Keys[name.(string)])
	}
	body, _ := json.Marshal(map[string]any{"keys": keys})
	return 200, nil, body, nil
}

func settings() Settings {
	return Settings{
		Source: Cookie, Origin: "https://www.example.com", Drawbridge: "https://id.example.com",
		Issuer: "https://id.example.com", ClientID: "web", Clients: []string{"web-view"}, Cookie: "vagov_access_token",
		WebhookSecrets: []string{table.Settings["webhook_secrets"].([]any)[0].(string), table.Settings["webhook_secrets"].([]any)[1].(string)},
	}
}

func made(t *testing.T, change func(*Settings)) (*Site, *provider) {
	t.Helper()
	own := settings()
	if change != nil {
		change(&own)
	}
	site, err := New(own)
	if err != nil {
		t.Fatal(err)
	}
	drawbridge := &provider{serves: table.Serves}
	site.Now = func() int64 { return table.Now }
	site.Fetch = drawbridge.fetch
	return site, drawbridge
}

func request(method, target string, headers [][2]string) *http.Request {
	r := httptest.NewRequest(method, "/", nil)
	r.RequestURI = target
	r.Host = ""
	for _, pair := range headers {
		// A server takes it out of the fields.
		if pair[0] == "Host" {
			r.Host = pair[1]
			continue
		}
		// As a server does it: only names that are tokens are brought into the usual form.
		r.Header.Add(pair[0], pair[1])
	}
	return r
}

func outcome(user *User, err error) string {
	if errors.Is(err, ErrUnavailable) {
		return "unavailable"
	}
	if err != nil {
		return err.Error()
	}
	return user.Subject
}

func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func TestTokens(t *testing.T) {
	for _, one := range table.Tokens {
		t.Run(one.ID, func(t *testing.T) {
			site, _ := made(t, nil)
			site.Now = func() int64 { return one.Now }
			user, err := site.UserOf(one.Token)
			got := map[string]any{"refused": outcome(user, err)}
			if err == nil {
				amr := []any{}
				for _, item := range user.AMR {
					amr = append(amr, item)
				}
				got = map[string]any{"subject": user.Subject, "session": user.Session, "acr": orNil(user.ACR), "amr": amr, "auth_time": nil}
				if user.AuthTime != 0 {
					got["auth_time"] = float64(user.AuthTime)
				}
			}
			if !reflect.DeepEqual(got, one.Expect) {
				t.Error(got, one.Expect)
			}
		})
	}
}

func TestProxies(t *testing.T) {
	for _, one := range table.Proxies {
		if one.Claimed {
			// The address is always the connection's.
			continue
		}
		t.Run(one.ID, func(t *testing.T) {
			site, _ := made(t, func(s *Settings) {
				s.Source, s.ProxySecret, s.ProxyAddresses = Proxy, one.Settings.Secret, one.Settings.Addresses
				s.Hosts = one.Settings.Hosts
			})
			r := request("GET", "/", one.Headers)
			r.RemoteAddr = one.Peer + ":1234"
			if strings.Contains(one.Peer, ":") {
				r.RemoteAddr = "[" + one.Peer + "]:1234"
			}
			user, reason, err := site.Identify(r)
			got := map[string]any{"refused": reason}
			if user != nil {
				got = map[string]any{"subject": user.Subject, "session": user.Session, "acr": orNil(user.ACR)}
			}
			if err != nil || !reflect.DeepEqual(got, one.Expect) {
				t.Error(got, one.Expect, err)
			}
		})
	}
}

func TestCookies(t *testing.T) {
	for _, one := range table.Cookies {
		t.Run(one.ID, func(t *testing.T) {
			site, drawbridge := made(t, nil)
			site.Fetch = func(path string, headers http.Header) (int, http.Header, []byte, error) {
				if path != "/session" {
					return drawbridge.fetch(path, headers)
				}
				if headers.Get("Cookie") != "__Host-drawbridge_session=opaque" || one.Session == nil {
					return 0, nil, nil, ErrUnavailable
				}
				return 200, nil, one.Session, nil
			}
			headers := one.Headers
			for _, line := range one.Cookie {
				headers = append(headers, [2]string{"Cookie", line})
			}
			user, reason, err := site.Identify(request("GET", "/", headers))
			if errors.Is(err, ErrUnavailable) {
				reason, err = "unavailable", nil
			}
			if err != nil || reason != one.Refused || user != nil && user.Subject != one.Expect || (user == nil) != (one.Expect == "") {
				t.Error(user, reason, err)
			}
		})
	}
}

const alice = `{"authenticated":true,"sub":"alice"}`

func visitor() *http.Request {
	return request("GET", "/", [][2]string{{"Cookie", "__Host-drawbridge_session=opaque"}})
}

func fields(pairs ...[2]string) http.Header { return request("GET", "/", pairs).Header }

func TestIdentities(t *testing.T) {
	const secret = "proxy-secret-of-the-tests-32-chars"
	for _, one := range table.Identities {
		t.Run(one.ID, func(t *testing.T) {
			headers := append([][2]string{{"X-Auth-Subject", "alice"}, {"X-Auth-Session", "s-1"}}, one.Headers...)
			expect := func(user *User, reason string, err error) {
				t.Helper()
				expected := one.Expect
				if err != nil || reason != expected.Refused || (user == nil) != (expected.Refused != "") {
					t.Fatal(user, reason, err)
				}
				if user != nil && (user.Name != expected.Name || user.Email != expected.Email ||
					strings.Join(user.Groups, "|") != strings.Join(expected.Groups, "|")) {
					t.Error(user, expected)
				}
			}
			site, _ := made(t, func(s *Settings) { s.Source, s.ProxySecret, s.Identity = Proxy, secret, one.Identity })
			expect(site.Identify(request("GET", "/", append([][2]string{{"Host", "www.example.com"}, {"X-Drawbridge-Proxy", secret}}, headers...))))

			site, _ = made(t, func(s *Settings) { s.Source, s.Identity = Session, one.Identity })
			site.Fetch = func(path string, sent http.Header) (int, http.Header, []byte, error) {
				if sent.Get("Cookie") != "__Host-drawbridge_session=opaque" {
					t.Error(sent)
				}
				if len(one.Identity) > 0 && path == "/auth/check?identity="+strings.Join(one.Identity, ",") {
					return 200, fields(headers...), nil, nil
				}
				if path != "/session" {
					t.Error(path)
				}
				return 200, nil, []byte(alice), nil
			}
			user, reason, err := site.Identify(visitor())
			if one.Expect.Refused == "" {
				expect(user, reason, err)
			} else if !errors.Is(err, ErrUnavailable) {
				t.Error(user, reason, err)
			}
		})
	}
}

func TestIdentityAnswers(t *testing.T) {
	for _, one := range table.IdentityAnswers {
		t.Run(one.ID, func(t *testing.T) {
			site, _ := made(t, func(s *Settings) { s.Source, s.Identity = Session, []string{"name"} })
			site.Fetch = func(path string, _ http.Header) (int, http.Header, []byte, error) {
				if path == "/session" {
					return 200, nil, []byte(alice), nil
				}
				return one.Status, fields(one.Headers...), nil, nil
			}
			user, got, err := site.Identify(visitor())
			if errors.Is(err, ErrUnavailable) {
				got = "unavailable"
			} else if user != nil {
				got = user.Subject
			}
			if got != one.Expect {
				t.Error(got, err)
			}
		})
	}
}

func guarded(site *Site, acr ...string) string {
	w := httptest.NewRecorder()
	site.Guard(page, Demand{ACR: acr}).ServeHTTP(w, visitor())
	if w.Code == http.StatusServiceUnavailable {
		return "unavailable"
	}
	return w.Body.String()
}

func TestOutages(t *testing.T) {
	for _, one := range table.Outages {
		t.Run(one.ID, func(t *testing.T) {
			site, _ := made(t, func(s *Settings) { s.Source = Session })
			asked := 0
			for _, step := range one.Steps {
				site.Now = func() int64 { return step.Now }
				site.Fetch = func(path string, _ http.Header) (int, http.Header, []byte, error) {
					asked++
					status := step.Check
					if path == "/session" {
						status = step.Session
					}
					if status == 0 {
						return 0, nil, nil, ErrUnavailable
					}
					return status, fields([2]string{"X-Auth-Subject", "alice"}), []byte(alice), nil
				}
				if got := guarded(site, step.ACR...); got != step.Expect || asked != step.Asked {
					t.Error(step.Now, got, step.Expect, asked, step.Asked)
				}
			}
		})
	}
}

func TestAfterAnOutageOneAtATimeAsks(t *testing.T) {
	site, _ := made(t, func(s *Settings) { s.Source = Session })
	begun, goOn, found := make(chan bool), make(chan bool), make(chan string)
	asked := 0
	site.Fetch = func(string, http.Header) (int, http.Header, []byte, error) { return 0, nil, nil, ErrUnavailable }
	if got := guarded(site); got != "unavailable" {
		t.Error(got)
	}
	site.Now = func() int64 { return table.Now + 2 }
	site.Fetch = func(string, http.Header) (int, http.Header, []byte, error) {
		asked++
		begun <- true
		<-goOn
		return 200, nil, []byte(alice), nil
	}
	go func() { found <- guarded(site) }()
	<-begun
	if got := guarded(site); got != "unavailable" || asked != 1 {
		t.Error(got, asked)
	}
	goOn <- true
	if got := <-found; got != "alice" {
		t.Error(got)
	}
	site.Fetch = func(string, http.Header) (int, http.Header, []byte, error) { return 200, nil, []byte(alice), nil }
	if got := guarded(site); got != "alice" {
		t.Error(got)
	}
}

func TestRotation(t *testing.T) {
	for _, one := range table.Rotation {
		t.Run(one.ID, func(t *testing.T) {
			site, drawbridge := made(t, nil)
			for _, step := range one.Steps {
				site.Now = func() int64 { return step.Now }
				drawbridge.serves = step.Serves
				if got := outcome(site.UserOf(step.Token)); got != step.Expect || drawbridge.asked != step.Fetches {
					t.Error(step.Now, got, step.Expect, drawbridge.asked, step.Fetches)
				}
			}
		})
	}
}

var page = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, From(r).Subject) })

func TestReturns(t *testing.T) {
	for _, one := range table.Returns {
		t.Run(one.ID, func(t *testing.T) {
			site, _ := made(t, func(s *Settings) { s.SignIn = one.SignIn })
			w := httptest.NewRecorder()
			site.Guard(page, Demand{}).ServeHTTP(w, request(one.Method, one.Target, one.Headers))
			got := []string{w.Header().Get("Location"), w.Header().Get("WWW-Authenticate"), w.Header().Get("Content-Type")}
			expected := []string{one.Expect.Location, one.Expect.Challenge, one.Expect.Type}
			if w.Code != one.Expect.Status || !reflect.DeepEqual(got, expected) {
				t.Error(w.Code, w.Header())
			}
			if cookies := w.Header().Values("Set-Cookie"); !reflect.DeepEqual(cookies, one.Expect.Cookies) {
				t.Error(cookies)
			}
			if one.Expect.Body != "" && w.Body.String() != one.Expect.Body {
				t.Error(w.Body)
			}
		})
	}
}

func TestDemands(t *testing.T) {
	for _, one := range table.Demands {
		t.Run(one.ID, func(t *testing.T) {
			site, drawbridge := made(t, nil)
			site.Fetch = func(path string, headers http.Header) (int, http.Header, []byte, error) {
				if strings.Contains(path, "check") {
					return 401, http.Header{}, nil, nil
				}
				return drawbridge.fetch(path, headers)
			}
			w := httptest.NewRecorder()
			r := request("GET", "/", [][2]string{{"Cookie", "vagov_access_token=" + one.Token}})
			site.Guard(page, Demand{one.ACR, one.MaxAge}).ServeHTTP(w, r)
			if one.Expect == "alice" && (w.Code != 200 || w.Body.String() != "alice") ||
				one.Expect != "alice" && (w.Code != 401 || w.Header().Get("WWW-Authenticate") != one.Expect) {
				t.Error(w.Code, w.Header())
			}
		})
	}
}

func TestProxyDemands(t *testing.T) {
	for _, one := range table.ProxyDemands {
		t.Run(one.ID, func(t *testing.T) {
			site, drawbridge := made(t, func(s *Settings) { s.Source, s.ProxySecret = Proxy, table.Ended.ProxySecret })
			drawbridge.serves = "down"
			w := httptest.NewRecorder()
			site.Guard(page, Demand{ACR: one.ACR}).ServeHTTP(w, request("GET", "/", one.Headers))
			got := w.Header().Get("WWW-Authenticate")
			if w.Code == 200 {
				got = w.Body.String()
			}
			if got != one.Expect {
				t.Error(w.Code, w.Header())
			}
		})
	}
}

func TestStepUps(t *testing.T) {
	for _, one := range table.StepUps {
		t.Run(one.ID, func(t *testing.T) {
			site, drawbridge := made(t, func(s *Settings) { s.Source = Source(one.Source) })
			asked := [][2]string{}
			site.Fetch = func(path string, headers http.Header) (int, http.Header, []byte, error) {
				if path == "/.well-known/jwks.json" {
					return drawbridge.fetch(path, headers)
				}
				asked = append(asked, [2]string{path, headers.Get("Cookie")})
				if path == "/session" {
					return 200, nil, one.Session, nil
				}
				said := http.Header{}
				for _, pair := range one.Check.Headers {
					said.Add(pair[0], pair[1])
				}
				return one.Check.Status, said, nil, nil
			}
			headers := one.Headers
			for _, line := range one.Cookie {
				headers = append(headers, [2]string{"Cookie", line})
			}
			w := httptest.NewRecorder()
			site.Guard(page, Demand{ACR: one.ACR}).ServeHTTP(w, request("GET", one.Target, headers))
			cookies := append([]string{}, w.Header().Values("Set-Cookie")...)
			if !reflect.DeepEqual(asked, one.Asked) {
				t.Error(asked, one.Asked)
			}
			if one.Expect.User != "" {
				if w.Code != 200 || w.Body.String() != one.Expect.User {
					t.Error(w.Code, w.Body)
				}
				return
			}
			if w.Code != one.Expect.Status || w.Header().Get("Location") != one.Expect.Location ||
				!reflect.DeepEqual(cookies, one.Expect.Cookies) {
				t.Error(w.Code, w.Header(), one.Expect)
			}
		})
	}
}

func post(handler http.Handler, body, signature string) (int, string) {
	r := httptest.NewRequest("POST", "/hook", strings.NewReader(body))
	r.Header.Set("Drawbridge-Webhook-Signature", signature)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	var said struct{ Result string }
	_ = json.Unmarshal(w.Body.Bytes(), &said)
	return w.Code, said.Result
}

func sequences(t *testing.T, all []sequence, handler func(*Site, func(map[string]any) error) http.Handler) {
	for _, one := range all {
		t.Run(one.ID, func(t *testing.T) {
			site, _ := made(t, nil)
			heard, expected := 0, 0
			receiver := handler(site, func(map[string]any) error { heard++; return nil })
			for _, step := range one.Steps {
				site.Now = func() int64 { return step.Now }
				status, said := post(receiver, step.Body+step.Form, step.Header)
				if status != step.Status || said != step.Expect {
					t.Error(status, said, step.Expect)
				}
				if step.Expect == "handled" {
					expected++
				}
			}
			if heard != expected {
				t.Error(heard, expected)
			}
		})
	}
}

func TestWebhooks(t *testing.T) { sequences(t, table.Webhooks, (*Site).Webhook) }
func TestLogouts(t *testing.T)  { sequences(t, table.Logouts, (*Site).BackchannelLogout) }

func TestAnEndedSessionIsNobodys(t *testing.T) {
	site, _ := made(t, nil)
	expect := func(token, expected string) {
		t.Helper()
		if got := outcome(site.UserOf(token)); got != expected {
			t.Error(got, expected)
		}
	}
	expect(table.Ended.Token, "alice")
	post(site.Webhook(nil), table.Ended.Webhook.Body, table.Ended.Webhook.Header)
	expect(table.Ended.Token, "ended")
	post(site.BackchannelLogout(nil), table.Ended.Logout.Form, "")
	expect(table.Ended.LoggedOut, "ended")
	expect(table.Ended.Other, "alice")
}

func TestASessionThatEndedStaysNobodysForAsLongAsItsTokensMayLive(t *testing.T) {
	site, _ := made(t, nil)
	post(site.Webhook(nil), table.Ended.Webhook.Body, table.Ended.Webhook.Header)
	site.Now = func() int64 { return table.Ended.Late }
	if got := outcome(site.UserOf(table.Ended.Lasting)); got != "ended" {
		t.Error(got)
	}
}

func TestWhatAProxySaysOfASessionThatEndedIsNobodys(t *testing.T) {
	site, _ := made(t, func(s *Settings) { s.Source, s.ProxySecret = Proxy, table.Ended.ProxySecret })
	asked := request("GET", "/", table.Ended.ProxyHeaders)
	if user, reason, err := site.Identify(asked); err != nil || user == nil || user.Subject != "alice" {
		t.Error(user, reason, err)
	}
	post(site.Webhook(nil), table.Ended.Webhook.Body, table.Ended.Webhook.Header)
	if user, reason, err := site.Identify(asked); err != nil || user != nil || reason != "ended" {
		t.Error(user, reason, err)
	}
}

func TestAnAnswerThatLeadsElsewhereIsTooLongOrNeverEndsIsNoAnswerAndNobodyIsAskedElsewhere(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		elsewhere.Add(1)
		fmt.Fprint(w, alice)
	}))
	defer other.Close()
	long := func(length int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "%-*s", length, alice) }
	}
	for _, one := range []struct {
		name, expected string
		answer         http.HandlerFunc
	}{
		{"redirect", "unavailable", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/session", http.StatusFound)
		}},
		{"longest", "alice", long(262_144)},
		{"too long", "unavailable", long(262_145)},
		{"cut off", "unavailable", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(alice)+1))
			fmt.Fprint(w, alice)
		}},
		{"never ends", "unavailable", func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, alice)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(8 * time.Second):
			}
		}},
	} {
		t.Run(one.name, func(t *testing.T) {
			drawbridge := httptest.NewServer(one.answer)
			defer drawbridge.Close()
			site, err := New(Settings{Source: Session, Origin: drawbridge.URL})
			if err != nil {
				t.Fatal(err)
			}
			if got := guarded(site); got != one.expected {
				t.Error(got)
			}
		})
	}
	if elsewhere.Load() != 0 {
		t.Error("somebody else was asked")
	}
}

func TestSettingsThatWouldBelieveAnybodyAreRefused(t *testing.T) {
	tooMuch := int64(600)
	for number, change := range []func(*Settings){
		func(s *Settings) { s.Source = Proxy },
		func(s *Settings) { s.Source, s.ProxySecret = Proxy, "short" },
		func(s *Settings) { s.Source, s.ProxyAddresses = Proxy, []string{"proxy"} },
		func(s *Settings) { s.Hosts = []string{"https://www.example.com"} },
		func(s *Settings) { s.Hosts = []string{""} },
		func(s *Settings) { s.Hosts = []string{"*.example.com"} },
		func(s *Settings) { s.Issuer = "" },
		func(s *Settings) { s.ClientID = "" },
		func(s *Settings) { s.Source = "else" },
		func(s *Settings) { s.Origin = "http://www.example.com" },
		func(s *Settings) { s.Issuer = "http://id.example.com" },
		func(s *Settings) { s.WebhookSecrets = []string{"short"} },
		func(s *Settings) { s.Leeway = &tooMuch },
		func(s *Settings) { s.Drawbridge = "http://drawbridge.internal:8080" },
		func(s *Settings) { s.LogoutAlgorithms = []string{"HS256"} },
		func(s *Settings) { s.Source, s.Identity = Session, []string{"phone"} },
		func(s *Settings) { s.Identity = []string{"name"} },
		func(s *Settings) { s.Source, s.Identity, s.Drawbridge = Session, []string{"name"}, "" },
	} {
		own := settings()
		change(&own)
		if _, err := New(own); err == nil {
			t.Error(number)
		}
	}
}

func TestAReceiverWithoutTheSettingsThatItNeedsIsNotMade(t *testing.T) {
	for number, one := range []struct {
		change   func(*Settings)
		receiver func(*Site, func(map[string]any) error) http.Handler
	}{
		{func(s *Settings) { s.WebhookSecrets = nil }, (*Site).Webhook},
		{func(s *Settings) { s.Source, s.Issuer = Session, "" }, (*Site).BackchannelLogout},
		{func(s *Settings) { s.Source, s.ClientID = Session, "" }, (*Site).BackchannelLogout},
	} {
		site, _ := made(t, one.change)
		func() {
			defer func() {
				if recover() == nil {
					t.Error(number)
				}
			}()
			one.receiver(site, nil)
		}()
	}
}

func TestALogoutTokenComesAgainWhenKeysCannotBeHad(t *testing.T) {
	for _, serves := range []string{"down", "garbage"} {
		site, drawbridge := made(t, nil)
		drawbridge.serves = serves
		if status, _ := post(site.BackchannelLogout(nil), table.Ended.Logout.Form, ""); status != 503 {
			t.Error(serves, status)
		}
	}
}

func TestAWebhookNeedsNoClient(t *testing.T) {
	site, _ := made(t, func(s *Settings) { s.Source, s.ClientID = Session, "" })
	if status, said := post(site.Webhook(nil), table.Ended.Webhook.Body, table.Ended.Webhook.Header); status != 200 || said != "handled" {
		t.Error(status, said)
	}
}

func TestWhatIsPrintedOfASiteAndItsSettingsHasNoSecret(t *testing.T) {
	own := settings()
	own.ProxySecret, own.WebhookSecrets = "a proxy's secret of 32 characters", []string{"a webhook's secret of 32 characters"}
	site, err := New(own)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range []any{own, &own, site} {
		for _, how := range []string{"%v", "%+v", "%#v", "%s"} {
			if printed := fmt.Sprintf(how, object); strings.Contains(printed, "secret of") || !strings.Contains(printed, own.Origin) {
				t.Errorf("%T by %s: %s", object, how, printed)
			}
		}
	}
}

func TestDrawbridgeIsAskedWithoutTheProxyThatTheRestOfTheProcessUses(t *testing.T) {
	drawbridge := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"authenticated":true,"sub":"alice"}`)
	}))
	defer drawbridge.Close()
	var passed atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		passed.Add(1)
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer proxy.Close()
	// The environment's is read once in a process, and never for this host.
	usual := http.DefaultTransport.(*http.Transport)
	defer func(before func(*http.Request) (*url.URL, error)) { usual.Proxy = before }(usual.Proxy)
	usual.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse(proxy.URL) }
	site, err := New(Settings{Source: Session, Origin: drawbridge.URL})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	site.Guard(page, Demand{}).ServeHTTP(w, request("GET", "/", [][2]string{{"Cookie", "__Host-drawbridge_session=opaque"}}))
	if w.Code != 200 || passed.Load() != 0 {
		t.Error(w.Code, passed.Load())
	}
}

func TestDrawbridgeIsAskedByHTTP1WhoseConnectionsVisitorsDoNotShare(t *testing.T) {
	var protocol atomic.Value
	drawbridge := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		protocol.Store(r.Proto)
		fmt.Fprint(w, alice)
	}))
	drawbridge.EnableHTTP2 = true
	drawbridge.StartTLS()
	defer drawbridge.Close()
	usual := http.DefaultTransport.(*http.Transport)
	defer func(before http.RoundTripper) { http.DefaultTransport = before }(usual)
	trusting := usual.Clone()
	trusting.TLSClientConfig = drawbridge.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	http.DefaultTransport = trusting
	// As any other question of the process, which would use HTTP/2.
	response, err := http.Get(drawbridge.URL)
	if err != nil || response.ProtoMajor != 2 {
		t.Fatal(response, err)
	}
	response.Body.Close()
	site, err := New(Settings{Source: Session, Origin: drawbridge.URL})
	if err != nil {
		t.Fatal(err)
	}
	if got := guarded(site); got != "alice" || protocol.Load() != "HTTP/1.1" {
		t.Error(got, protocol.Load())
	}
}

func TestEachQuestionSaysThatItIsOne(t *testing.T) {
	site, drawbridge := made(t, nil)
	asked := map[string]string{}
	site.Fetch = func(path string, headers http.Header) (int, http.Header, []byte, error) {
		asked[path] = headers.Get("Drawbridge-Question")
		if path == "/session" {
			return 200, nil, []byte(alice), nil
		}
		return drawbridge.fetch(path, headers)
	}
	if got := guarded(site); got != "alice" {
		t.Error(got)
	}
	if got := outcome(site.UserOf(table.Ended.Token)); got != "alice" {
		t.Error(got)
	}
	if !reflect.DeepEqual(asked, map[string]string{"/session": "1", "/.well-known/jwks.json": "1"}) {
		t.Error(asked)
	}
}

func TestAGuardThatIsAskedInPlaceOfDrawbridgeDoesNotAskItselfWithoutEnd(t *testing.T) {
	var website *Site
	var checks atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/session" {
			fmt.Fprint(w, alice)
			return
		}
		if r.URL.Path == "/auth/check" {
			checks.Add(1)
		}
		website.Guard(page, Demand{ACR: []string{"aal9"}}).ServeHTTP(w, r)
	}))
	defer server.Close()
	var err error
	if website, err = New(Settings{Source: Session, Origin: server.URL}); err != nil {
		t.Fatal(err)
	}
	if got := guarded(website, "aal9"); got != "unavailable" || checks.Load() != 1 {
		t.Error(got, checks.Load())
	}
}

func TestInAFullMemoryTheOldestMakesRoom(t *testing.T) {
	own, got := NewMemory(2).(*memory), ""
	for number, text := range []string{"a", "b", "c", "b"} {
		said, err := own.Add(text, int64(10+number), 0)
		got += fmt.Sprint(said, err, " ")
	}
	hasA, _ := own.Has("a", 0)
	hasB, _ := own.Has("b", 0)
	if got != "new<nil> new<nil> new<nil> known<nil> " || hasA || !hasB || own.Forgotten() != 10 {
		t.Error(got, hasA, hasB, own.Forgotten())
	}
	// Whose time is over is not forgotten early.
	for _, text := range []string{"d", "c"} {
		if said, _ := own.Add(text, 30, 15); said != "new" || own.Forgotten() != 10 {
			t.Error(text, said, own.Forgotten())
		}
	}
	if said, _ := NewMemory(0).Add("a", 10, 0); said != "full" {
		t.Error(said)
	}
}

func TestMoreEndsThanThereIsRoomForAreHandledAndTokensOlderThanAForgottenOneAreNobodys(t *testing.T) {
	site, _ := made(t, nil)
	site.Ended = NewMemory(2)
	post(site.Webhook(nil), table.Ended.Webhook.Body, table.Ended.Webhook.Header)
	var got []string
	for _, more := range table.Ended.More {
		site.Now = func() int64 { return more.Now }
		_, said := post(site.Webhook(nil), more.Body, more.Header)
		got = append(got, said)
		for _, token := range []string{table.Ended.Lasting, table.Ended.OtherLasting, table.Ended.Later} {
			got = append(got, outcome(site.UserOf(token)))
		}
	}
	if strings.Join(got, " ") != "handled ended alice alice handled ended ended alice" {
		t.Error(got)
	}
}

type failing struct{ Memory }

func (failing) Add(string, int64, int64) (string, error) { return "", errors.New("the store is away") }
func (failing) Has(string, int64) (bool, error)          { return false, errors.New("the store is away") }

// fails to remember, but not to be asked.
type fullDisk struct{ Memory }

func (fullDisk) Add(string, int64, int64) (string, error) { return "", errors.New("the disk is full") }

func TestWhileAStoreFailsANoticeComesAgainAndNobodyIsBelieved(t *testing.T) {
	webhook := table.Ended.Webhook
	for number, change := range []func(*Site){
		func(s *Site) { s.Ended = failing{s.Ended} },
		func(s *Site) { s.Notices = failing{s.Notices} },
		func(s *Site) { s.Notices = fullDisk{s.Notices} },
	} {
		site, _ := made(t, nil)
		change(site)
		handled := 0
		receiver := site.Webhook(func(map[string]any) error { handled++; return nil })
		if status, said := post(receiver, webhook.Body, webhook.Header); status != 500 || said != "failed" || handled != 0 {
			t.Error(number, status, said, handled)
		}
	}
	cookie, _ := made(t, nil)
	proxy, _ := made(t, func(s *Settings) { s.Source, s.ProxySecret = Proxy, table.Ended.ProxySecret })
	for site, headers := range map[*Site][][2]string{
		cookie: {{"Cookie", "vagov_access_token=" + table.Ended.Token}}, proxy: table.Ended.ProxyHeaders,
	} {
		for _, expected := range []int{200, 503} {
			w := httptest.NewRecorder()
			site.Guard(page, Demand{}).ServeHTTP(w, request("GET", "/", headers))
			if w.Code != expected {
				t.Error(site.settings.Source, w.Code)
			}
			site.Ended = failing{site.Ended}
		}
	}
}

func TestWhileTheNoticesAreFullOneIsHandledAllTheSame(t *testing.T) {
	site, _ := made(t, nil)
	site.Notices = NewMemory(0)
	handled := 0
	receiver := site.Webhook(func(map[string]any) error { handled++; return nil })
	if status, said := post(receiver, table.Ended.Webhook.Body, table.Ended.Webhook.Header); status != 200 || said != "handled" || handled != 1 {
		t.Error(status, said, handled)
	}
	if got := outcome(site.UserOf(table.Ended.Token)); got != "ended" {
		t.Error(got)
	}
	site.Notices = NewMemory(2)
	for _, other := range []string{"a", "b"} {
		if _, err := site.Notices.Add(other, table.Now+86_400, table.Now); err != nil {
			t.Error(err)
		}
	}
	for _, expected := range []string{"handled", "known"} {
		if _, said := post(receiver, table.Ended.Webhook.Body, table.Ended.Webhook.Header); said != expected {
			t.Error(said)
		}
	}
}

func TestManyRequestsWithUnknownKeysAskOnce(t *testing.T) {
	site, drawbridge := made(t, nil)
	drawbridge.serves = []any{}
	var all sync.WaitGroup
	for i := 0; i < 20; i++ {
		all.Add(1)
		go func() { defer all.Done(); _, _ = site.UserOf(table.Ended.Token) }()
	}
	all.Wait()
	if drawbridge.asked != 1 {
		t.Error(drawbridge.asked)
	}
}

func TestAfterADrawbridgeThatHungNobodyWhoWaitedForKeysAsksAgainAndNobodyElseForTwoSeconds(t *testing.T) {
	site, _ := made(t, nil)
	var now, looked, asked atomic.Int64
	now.Store(table.Now)
	site.Now = func() int64 { looked.Add(1); return now.Load() }
	begun, goOn := make(chan bool, 20), make(chan bool)
	site.Fetch = func(string, http.Header) (int, http.Header, []byte, error) {
		asked.Add(1)
		begun <- true
		<-goOn
		return 0, nil, nil, ErrUnavailable
	}
	var all sync.WaitGroup
	visit := func() {
		all.Add(1)
		go func() {
			defer all.Done()
			if got := outcome(site.UserOf(table.Ended.Token)); got != "unavailable" {
				t.Error(got)
			}
		}()
	}
	visit()
	<-begun
	// Their time is past the pause, were that counted from the beginning of the question.
	now.Store(table.Now + 2)
	before := looked.Load()
	for i := 0; i < 10; i++ {
		visit()
	}
	for looked.Load() < before+20 {
		runtime.Gosched()
	}
	now.Store(table.Now + 3)
	close(goOn)
	all.Wait()
	for _, more := range []struct{ late, asked int64 }{{4, 1}, {5, 2}} {
		now.Store(table.Now + more.late)
		visit()
		all.Wait()
		if asked.Load() != more.asked {
			t.Error(more, asked.Load())
		}
	}
}

func TestWhileOneAsksForKeysTheOthersUseThoseTheyHave(t *testing.T) {
	site, drawbridge := made(t, nil)
	begun, goOn, found := make(chan bool), make(chan bool), make(chan string)
	user := func() string { return outcome(site.UserOf(table.Ended.Token)) }
	if got := user(); got != "alice" {
		t.Error(got)
	}
	site.Now = func() int64 { return table.Now + 300 }
	site.Fetch = func(path string, headers http.Header) (int, http.Header, []byte, error) {
		begun <- true
		<-goOn
		return drawbridge.fetch(path, headers)
	}
	go func() { found <- user() }()
	<-begun
	go func() { found <- user() }()
	select {
	case got := <-found:
		if got != "alice" {
			t.Error(got)
		}
	case <-begun:
		t.Fatal("it asks as well")
	case <-time.After(5 * time.Second):
		t.Fatal("it waits")
	}
	goOn <- true
	if got := <-found; got != "alice" || drawbridge.asked != 2 {
		t.Error(got, drawbridge.asked)
	}
}

func TestWhileTheEndedSessionsAreFullANoticeComesAgainUnhandled(t *testing.T) {
	site, _ := made(t, nil)
	site.Ended = NewMemory(0)
	handled := 0
	handle := func(map[string]any) error { handled++; return nil }
	webhook := table.Ended.Webhook
	if status, said := post(site.Webhook(handle), webhook.Body, webhook.Header); status != 503 || said != "full" {
		t.Error(status, said)
	}
	if status, said := post(site.BackchannelLogout(handle), table.Ended.Logout.Form, ""); status != 503 || said != "full" {
		t.Error(status, said)
	}
	site.Ended = NewMemory(10)
	if status, _ := post(site.Webhook(handle), webhook.Body, webhook.Header); status != 200 || handled != 1 {
		t.Error(status, handled)
	}
}

func TestWhatWasHandledIsRememberedInTheLastPlaceThatThereIs(t *testing.T) {
	site, _ := made(t, nil)
	site.Notices = NewMemory(1)
	step := table.Webhooks[0].Steps[0]
	for _, expected := range []string{"handled", "known"} {
		if _, said := post(site.Webhook(nil), step.Body, step.Header); said != expected {
			t.Error(said)
		}
	}
}

func TestANoticeWhoseHandlingFailedComesAgain(t *testing.T) {
	site, _ := made(t, nil)
	step := table.Webhooks[0].Steps[0]
	fails := site.Webhook(func(map[string]any) error { return errors.New("failed") })
	if status, _ := post(fails, step.Body, step.Header); status != 500 {
		t.Error(status)
	}
	if _, said := post(site.Webhook(nil), step.Body, step.Header); said != "handled" {
		t.Error(said)
	}
}

func TestANoticeWhoseBodyCannotBeReadComesAgain(t *testing.T) {
	site, _ := made(t, nil)
	handled := 0
	handle := func(map[string]any) error { handled++; return nil }
	for _, receiver := range []http.Handler{site.Webhook(handle), site.BackchannelLogout(handle)} {
		r := httptest.NewRequest("POST", "/hook", iotest.ErrReader(os.ErrDeadlineExceeded))
		w := httptest.NewRecorder()
		receiver.ServeHTTP(w, r)
		if w.Code != 500 || w.Body.String() != `{"result": "failed"}` || handled != 0 {
			t.Error(w.Code, w.Body, handled)
		}
	}
}

func TestANoticeThatIsTooLargeDoesNotComeAgain(t *testing.T) {
	site, _ := made(t, nil)
	for _, receiver := range []http.Handler{site.Webhook(nil), site.BackchannelLogout(nil)} {
		if status, said := post(receiver, strings.Repeat("x", 65_537), ""); status != 400 || said != "too_large" {
			t.Error(status, said)
		}
	}
}

func TestARepeatOfANoticeInHandIsSentAgainForTheHandlerMayFail(t *testing.T) {
	site, _ := made(t, nil)
	step := table.Webhooks[0].Steps[0]
	var status int
	var said string
	post(site.Webhook(func(map[string]any) error {
		status, said = post(site.Webhook(nil), step.Body, step.Header)
		return errors.New("failed")
	}), step.Body, step.Header)
	if status != 503 || said != "in_hand" {
		t.Error(status, said)
	}
	for _, expected := range []string{"handled", "known"} {
		if _, said = post(site.Webhook(nil), step.Body, step.Header); said != expected {
			t.Error(said)
		}
	}
}

func TestASessionThatCannotBeAskedIsNeitherInNorOut(t *testing.T) {
	for answer, expected := range map[string]int{
		"500 ": 503, "200 <html>": 503, `200 {"authenticated":true}`: 503, "303 ": 503,
		`200 {"authenticated":"true","sub":"alice"}`: 503, "200 {}": 401,
		`200 {"authenticated":true,"sub":"alice","auth_time":"2027-01-15T08:00:00.000Z"}`: 200,
	} {
		site, _ := made(t, func(s *Settings) { s.Source = Session })
		site.Fetch = func(path string, headers http.Header) (int, http.Header, []byte, error) {
			if path != "/session" || headers.Get("Cookie") != "__Host-drawbridge_session=abc" {
				t.Error(path, headers)
			}
			status, body, _ := strings.Cut(answer, " ")
			return map[string]int{"200": 200, "303": 303, "500": 500}[status], nil, []byte(body), nil
		}
		w := httptest.NewRecorder()
		r := request("GET", "/", [][2]string{{"Cookie", "shop=1; __Host-drawbridge_session=abc"}, {"X-Auth-Subject", "bob"}})
		site.Guard(page, Demand{}).ServeHTTP(w, r)
		if w.Code != expected {
			t.Error(answer, w.Code)
		}
	}
}

func TestStepUpTakesDrawbridgesWayThereAndNeverAnotherUser(t *testing.T) {
	for _, one := range []struct {
		status   int
		headers  http.Header
		expected int
	}{
		{302, http.Header{"Location": {"/sign-in?redirect=%2Fx"}, "Set-Cookie": {"a=b"}, "Server": {"x"}}, 303},
		{200, http.Header{"X-Auth-Subject": {"alice"}}, 200},
		{200, http.Header{"X-Auth-Subject": {"bob"}}, 303},
		{500, http.Header{}, 503},
	} {
		site, drawbridge := made(t, nil)
		site.Fetch = func(path string, headers http.Header) (int, http.Header, []byte, error) {
			if path == "/auth/check?acr=aal9&max_age=5&redirect=%2Fx" {
				return one.status, one.headers, nil, nil
			}
			return drawbridge.fetch(path, headers)
		}
		w := httptest.NewRecorder()
		r := request("GET", "/x", [][2]string{{"Cookie", "vagov_access_token=" + table.Ended.Token}, {"Accept", "text/html"}})
		site.Guard(page, Demand{[]string{"aal9"}, 5}).ServeHTTP(w, r)
		if w.Code != one.expected || one.status == 302 && (w.Header().Get("Set-Cookie") != "a=b" || w.Header().Get("Server") != "") {
			t.Error(w.Code, w.Header())
		}
	}
}
