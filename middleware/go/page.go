package site

import (
	"fmt"
	"net/http"
	"strings"
)

// isPage says whether somebody looks: a script has no use for a sign-in page.
func isPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && isNavigation(r)
}

// isForm says whether somebody sends a form, and looks at what comes back.
func isForm(r *http.Request) bool { return r.Method == http.MethodPost && isNavigation(r) }

func isNavigation(r *http.Request) bool {
	mode, destination := r.Header.Values("Sec-Fetch-Mode"), r.Header.Values("Sec-Fetch-Dest")
	if len(mode)+len(destination) > 0 {
		return strings.Join(mode, ",") == "navigate" && strings.Join(destination, ",") == "document"
	}
	return strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Accept"), ",")), "text/html")
}

// isReturnTarget: a path of this website; not //elsewhere nor /\elsewhere, which browsers read as another host.
func isReturnTarget(target string) bool {
	if len(target) == 0 || len(target) > 2048 || target[0] != '/' || strings.HasPrefix(target, "//") {
		return false
	}
	for i := 0; i < len(target); i++ {
		if target[i] < 0x21 || target[i] > 0x7e || target[i] == '\\' {
			return false
		}
	}
	return true
}

// encoded percent-encodes all but RFC 3986's unreserved characters.
func encoded(text string) string {
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		c := text[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
