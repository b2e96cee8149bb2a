// A website on net/http: `example PORT`, with its settings as JSON in SITE.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/drawbridge/site"
)

func main() {
	var given struct {
		Source, Origin, Drawbridge, Issuer, Cookie string
		ClientID                                   string   `json:"client_id"`
		ProxySecret                                string   `json:"proxy_secret"`
		WebhookSecrets                             []string `json:"webhook_secrets"`
	}
	if err := json.Unmarshal([]byte(os.Getenv("SITE")), &given); err != nil {
		log.Fatal(err)
	}
	website, err := site.New(site.Settings{
		Source: site.Source(given.Source), Origin: given.Origin, Drawbridge: given.Drawbridge, Issuer: given.Issuer,
		Cookie: given.Cookie, ClientID: given.ClientID, ProxySecret: given.ProxySecret, WebhookSecrets: given.WebhookSecrets,
	})
	if err != nil {
		log.Fatal(err)
	}
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprint(w, "signed in as ", site.From(r).Subject)
	})
	routes := http.NewServeMux()
	routes.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "for everybody") })
	routes.Handle("/contacts", website.Guard(page, site.Demand{}))
	routes.Handle("/strong/", website.Guard(page, site.Demand{ACR: []string{"aal9"}}))
	// A receiver is not made without the settings that it needs.
	if len(given.WebhookSecrets) > 0 {
		routes.Handle("/hooks/drawbridge", website.Webhook(nil))
	}
	if given.ClientID != "" {
		routes.Handle("/hooks/logout", website.BackchannelLogout(nil))
	}
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Args[1], routes))
}
