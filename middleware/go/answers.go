package site

import (
	"fmt"
	"net/http"
)

func redirect(w http.ResponseWriter, location string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
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
