package site

import (
	"fmt"
	"net/http"
	"strings"
)

// What a person reads whose form came without a sign-in. No script and no style: a website's own policy may forbid them.
const unsentPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not signed in</title>
<h1>You are not signed in</h1>
<p>What you sent was not accepted. <a href="%s" target="_blank" rel="noopener">Sign in</a> (this opens a new tab), ` +
	`then come back to this tab, go back to the form and send it again.</p>
`

var escaping = strings.NewReplacer("&", "&#38;", "<", "&#60;", ">", "&#62;", `"`, "&#34;", "'", "&#39;")

func redirect(w http.ResponseWriter, location string) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
}

func refuse(w http.ResponseWriter, challenge, word string) {
	w.Header().Set("WWW-Authenticate", challenge)
	write(w, http.StatusUnauthorized, "error", word)
}

// unsent is for a form: a redirect would lose what somebody has typed, so the way to the sign-in is beside it.
func unsent(w http.ResponseWriter, signIn string) {
	w.Header().Set("WWW-Authenticate", "Bearer")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprintf(w, unsentPage, escaping.Replace(signIn))
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
