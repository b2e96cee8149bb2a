/// What keeps a redirect URI from being registered; its text completes "the redirect URI …".
package enum RedirectURIError: String, Error, Hashable, Sendable, CaseIterable {
    case length = "must be 1 to 2048 bytes long"
    case character = "holds a character that a URI cannot hold, or a fragment"
    case escape = "holds a % that two hexadecimal digits do not follow"
    case scheme = "must begin with a scheme in lower case"
    case dotSegment = "holds a . or .. segment"
    case wildcard = "holds a *; every redirect is written out in full"
    case authority = "must be https://host/path: a lower-case DNS name, no user, a port from 1 to 65535"
    case path = "must have a path, at least /"
    case plainHTTP = "may use http on 127.0.0.1 and [::1] only, and only for a native client"
    case localhost = "may use localhost only where allow_localhost is set"
    case schemeOfTheApp = "must have a scheme with a period, such as com.example.app, and only for a native client"
    case singleSlash = "must have exactly one slash after an app's own scheme"
}
