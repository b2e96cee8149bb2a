package site

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"sync"
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
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	switch public := key.(type) {
	case *ecdsa.PublicKey:
		if algorithm != "ES256" {
			return nil, Refused("algorithm")
		}
		if len(raw[2]) != 64 || !ecdsa.Verify(
			public, digest[:], new(big.Int).SetBytes(raw[2][:32]), new(big.Int).SetBytes(raw[2][32:])) {
			return nil, Refused("signature")
		}
	case *rsa.PublicKey:
		if algorithm != "RS256" {
			return nil, Refused("algorithm")
		}
		if rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], raw[2]) != nil {
			return nil, Refused("signature")
		}
	}
	return claims, nil
}

// keyStore has Drawbridge's public keys: used for five minutes, and fetched for an unknown kid at most every half
// minute, whoever sends what. While there are none to do with, they are asked for as soon as after any failure.
type keyStore struct {
	// Of whoever asks Drawbridge, which may take three seconds. The other lock is never held for so long.
	asking sync.Mutex
	sync.Mutex
	keys    map[string]any
	fetched *int64
	// When the last question ended: the pause begins once nobody waits for its answer.
	tried *int64
}

func (k *keyStore) key(kid string, now int64, clock func() int64, fetch Fetch) (any, error) {
	k.heedClock(clock)
	keys, fetched := k.known()
	if fetched == nil || now-*fetched >= keysFresh {
		k.renew(clock, fetch, !hold(fetched, now) || keys[kid] == nil)
		keys, fetched = k.known()
	}
	if !hold(fetched, now) {
		return nil, fmt.Errorf("%w: no keys", ErrUnavailable)
	}
	if keys[kid] == nil {
		k.renew(clock, fetch, true)
		keys, fetched = k.known()
	}
	if keys[kid] == nil {
		if *fetched < now {
			return nil, notYet{"unknown_key"}
		}
		return nil, Refused("unknown_key")
	}
	return keys[kid], nil
}

// hold says whether keys that were fetched then may be used, while newer ones cannot be had.
func hold(fetched *int64, now int64) bool { return fetched != nil && now-*fetched <= keysStale }

func (k *keyStore) known() (keys map[string]any, fetched *int64) {
	k.Lock()
	defer k.Unlock()
	return k.keys, k.fetched
}

func (k *keyStore) heedClock(clock func() int64) {
	k.Lock()
	defer k.Unlock()
	now := clock()
	// By more than a second: of two who come at once, one has looked at the clock a little earlier.
	if k.fetched != nil && *k.fetched > now+1 || k.tried != nil && *k.tried > now+1 {
		// The clock was set back. How old the keys are is not known: they are due, and hold for an hour from now at most.
		if k.fetched != nil {
			if due := now - keysFresh; *k.fetched > due {
				k.fetched = &due
			}
		}
		k.tried = nil
	}
}

// renew lets one ask. Of the others those wait for the answer who cannot do without.
func (k *keyStore) renew(clock func() int64, fetch Fetch, waits bool) {
	if waits {
		k.asking.Lock()
	} else if !k.asking.TryLock() {
		return
	}
	defer k.asking.Unlock()
	k.heedClock(clock)
	// Anew: whoever waited has come seconds ago, and would ask again what has just failed.
	now := clock()
	if !k.mayAsk(now) {
		return
	}
	defer k.end(clock)
	status, _, body, err := fetch("/.well-known/jwks.json", http.Header{})
	if err != nil || status != http.StatusOK {
		return
	}
	if keys := readKeys(body); keys != nil {
		k.Lock()
		defer k.Unlock()
		k.keys, k.fetched = keys, &now
	}
}

// mayAsk says whether Drawbridge may be asked: not again so soon.
func (k *keyStore) mayAsk(now int64) bool {
	k.Lock()
	defer k.Unlock()
	pause := int64(outagePause)
	if hold(k.fetched, now) {
		pause = keysPause
	}
	return k.tried == nil || now-*k.tried >= pause
}

func (k *keyStore) end(clock func() int64) {
	k.Lock()
	defer k.Unlock()
	now := clock()
	k.tried = &now
}

// readKeys gives the usable keys of a set, or nil when it is none. A key's kind says the one algorithm it verifies.
func readKeys(body []byte) map[string]any {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if json.Unmarshal(body, &set) != nil || set.Keys == nil || len(set.Keys) > 100 {
		return nil
	}
	found := map[string]any{}
	for _, raw := range set.Keys {
		var jwk struct{ Kid, Kty, Crv, Use, Alg, X, Y, N, E string }
		if json.Unmarshal(raw, &jwk) != nil || jwk.Kid == "" || found[jwk.Kid] != nil || jwk.Use != "" && jwk.Use != "sig" {
			continue
		}
		switch {
		case jwk.Kty == "EC" && jwk.Crv == "P-256" && (jwk.Alg == "" || jwk.Alg == "ES256"):
			x, errX := decode(jwk.X)
			y, errY := decode(jwk.Y)
			key := &ecdsa.PublicKey{Curve: elliptic.P256(), X: new(big.Int).SetBytes(x), Y: new(big.Int).SetBytes(y)}
			if errX == nil && errY == nil && len(x) == 32 && len(y) == 32 && key.Curve.IsOnCurve(key.X, key.Y) {
				found[jwk.Kid] = key
			}
		case jwk.Kty == "RSA" && (jwk.Alg == "" || jwk.Alg == "RS256"):
			n, errN := decode(jwk.N)
			e, errE := decode(jwk.E)
			modulus, exponent := new(big.Int).SetBytes(n), new(big.Int).SetBytes(e)
			if errN == nil && errE == nil && modulus.BitLen() >= 2048 && modulus.BitLen() <= 8192 &&
				(exponent.Cmp(big.NewInt(3)) == 0 || exponent.Cmp(big.NewInt(65537)) == 0) {
				found[jwk.Kid] = &rsa.PublicKey{N: modulus, E: int(exponent.Int64())}
			}
		}
	}
	return found
}
