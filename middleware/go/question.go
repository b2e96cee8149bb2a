package site

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

// Fetch asks Drawbridge. It returns an error that wraps ErrUnavailable when there is no whole answer.
type Fetch func(path string, headers http.Header) (status int, answer http.Header, body []byte, err error)

// Of each own question. A request with it is one that this website, asked in place of Drawbridge, sent itself.
const questionField = "Drawbridge-Question"

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
