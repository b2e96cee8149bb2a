package site

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"strings"
	"unicode/utf8"
)

// algorithms that keys verify here, each the one that its kind says.
var algorithms = []string{"ES256", "RS256"}

// members of a JSON object, each still to be read as what it has to be.
type members map[string]json.RawMessage

func object(data []byte) (members, error) {
	var found members
	// Go takes what is no UTF-8 for replacement characters.
	if !utf8.Valid(data) || json.Unmarshal(data, &found) != nil || found == nil {
		return nil, Refused("malformed")
	}
	return found, nil
}

func (m members) has(name string) bool {
	value, found := m[name]
	return found && string(value) != "null"
}

func (m members) text(name string) (string, bool) {
	var value string
	if !m.has(name) || json.Unmarshal(m[name], &value) != nil {
		return "", false
	}
	return value, isText(value)
}

// time is whole Unix seconds.
func (m members) time(name string) (int64, bool) {
	var value int64
	if !m.has(name) || json.Unmarshal(m[name], &value) != nil {
		return 0, false
	}
	return value, value >= 0 && value < 1<<53
}

func (m members) plain() map[string]any {
	found := map[string]any{}
	for name, value := range m {
		var plain any
		_ = json.Unmarshal(value, &plain)
		found[name] = plain
	}
	return found
}

func (m members) check(issuer string, accepted []string, now, leeway int64) error {
	if value, _ := m.text("iss"); value != issuer {
		return Refused("issuer")
	}
	var audiences []string
	if one, ok := m.text("aud"); ok {
		audiences = []string{one}
	} else if json.Unmarshal(m["aud"], &audiences) != nil {
		return Refused("audience")
	}
	found := false
	for _, one := range audiences {
		found = found || isOneOf(accepted, one)
	}
	if !found {
		return Refused("audience")
	}
	end, hasEnd := m.time("exp")
	from, hasFrom := m.time("iat")
	if !hasEnd || !hasFrom {
		return Refused("claims")
	}
	if m.has("nbf") {
		later, ok := m.time("nbf")
		if !ok {
			return Refused("claims")
		}
		if later > from {
			from = later
		}
	}
	if now >= end+leeway {
		return Refused("expired")
	}
	if from > now+leeway {
		return Refused("not_yet_valid")
	}
	return nil
}

var strict = base64.RawURLEncoding.Strict()

func decode(text string) ([]byte, error) {
	// Go's decoder passes over line breaks.
	if strings.ContainsAny(text, "\r\n") {
		return nil, Refused("malformed")
	}
	data, err := strict.DecodeString(text)
	if err != nil {
		return nil, Refused("malformed")
	}
	return data, nil
}

// The claims of a token that one of Drawbridge's keys signed. Algorithm and type are ours to say (RFC 8725).
func (s *Site) verified(text, kind string, accepted []string, now int64) (members, error) {
	parts := strings.Split(text, ".")
	if len(text) > 8192 || len(parts) != 3 {
		return nil, Refused("malformed")
	}
	var raw [3][]byte
	for i, part := range parts {
		data, err := decode(part)
		if err != nil {
			return nil, err
		}
		raw[i] = data
	}
	header, err := object(raw[0])
	if err != nil {
		return nil, err
	}
	claims, err := object(raw[1])
	if err != nil {
		return nil, err
	}
	if _, critical := header["crit"]; critical {
		return nil, Refused("malformed")
	}
	algorithm, _ := header.text("alg")
	if !isOneOf(accepted, algorithm) {
		return nil, Refused("algorithm")
	}
	own, _ := header.text("typ")
	if strings.TrimPrefix(strings.ToLower(own), "application/") != kind {
		return nil, Refused("type")
	}
	kid, ok := header.text("kid")
	if !ok {
		return nil, Refused("unknown_key")
	}
	key, err := s.keys.key(kid, now, s.Now, s.fetch)
	if err != nil {
		return nil, err
	}
	if err := verify(key, algorithm, []byte(parts[0]+"."+parts[1]), raw[2]); err != nil {
		return nil, err
	}
	return claims, nil
}

func verify(key any, algorithm string, signed, signature []byte) error {
	digest := sha256.Sum256(signed)
	switch public := key.(type) {
	case *ecdsa.PublicKey:
		if algorithm != "ES256" {
			return Refused("algorithm")
		}
		if len(signature) != 64 || !ecdsa.Verify(
			public, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
			return Refused("signature")
		}
	case *rsa.PublicKey:
		if algorithm != "RS256" {
			return Refused("algorithm")
		}
		if rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature) != nil {
			return Refused("signature")
		}
	}
	return nil
}
