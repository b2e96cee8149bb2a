package site

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

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
	if len(form) == 0 {
		// Another part of the website has read it before, which can be mended; a 4xx would be final.
		return notice{}, notYet{"malformed"}
	}
	if err != nil || len(tokens) != 1 {
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
