package site

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"sync"
)

const (
	keysFresh = 300
	keysPause = 30
	keysStale = 3600
)

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
