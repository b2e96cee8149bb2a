package site

import (
	"errors"
	"io"
	"net/http"
)

const (
	// Seconds: an access token lives at most a day; a notice is tried for a day.
	longestToken = 86400
	noticeMemory = 2 * 86400
	// Seconds for which a handler may take; a process that dies over a notice is waited for no longer.
	longestHandler = 300
)

// Webhook takes signed notices, docs/webhooks.md: each is handled once. It panics without WebhookSecrets, as every notice
// would be refused.
func (s *Site) Webhook(handle func(event map[string]any) error) http.Handler {
	if len(s.settings.WebhookSecrets) == 0 {
		panic("webhooks need WebhookSecrets")
	}
	return s.receiver(func(r *http.Request, body []byte, now int64) (notice, error) {
		return s.notice(body, r.Header.Get("Drawbridge-Webhook-Signature"), now)
	}, handle)
}

// BackchannelLogout takes logout tokens (OpenID Connect Back-Channel Logout 1.0, §2.6). It panics without Issuer and
// ClientID: a token that was refused for want of them would never come again.
func (s *Site) BackchannelLogout(handle func(claims map[string]any) error) http.Handler {
	if s.settings.Issuer == "" || s.settings.ClientID == "" {
		panic("logout tokens need Issuer and ClientID")
	}
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
		if err != nil {
			// Nothing is known of it, and a 4xx would settle it: a logout token would be lost.
			say(w, http.StatusInternalServerError, "failed")
			return
		}
		if len(body) > 65536 {
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
