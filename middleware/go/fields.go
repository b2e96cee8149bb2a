package site

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"
)

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

var plainField = regexp.MustCompile(`\A(?:[\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*\z`)

// Drawbridge percent-encodes whatever is not visible ASCII.
func decoded(value string) (string, bool) {
	if !plainField.MatchString(value) {
		return "", false
	}
	text, err := url.PathUnescape(value)
	return text, err == nil && utf8.ValidString(text)
}
