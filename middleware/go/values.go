package site

import (
	"crypto/sha256"
	"crypto/subtle"
)

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
