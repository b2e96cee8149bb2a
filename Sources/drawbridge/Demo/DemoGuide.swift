import Bridge
import Foundation

/// What the demo prints for people: what to click, and the same with curl.
struct DemoGuide: Sendable {
    let baseURL: String
    let managementURL: String
    /// The option that names where the audit log is; a database's address may hold a password, and is not repeated.
    let record: String
    let bearer: Secret<String>
    /// The first person's password, for sign-ins in the browser; `nil` where it is another by now.
    let password: Secret<String>?
    /// The password of the account `admin`; `nil` where it is another by now.
    let adminPassword: Secret<String>?
    let adminToken: Secret<String>
    /// The file of the certificate that the demo shows; `nil` in plain http, where no phone's key answers.
    var certificate: String?
    /// The program as it was called, so that the lines can be copied.
    let program = CommandLine.arguments.first ?? "drawbridge"

    /// A phone that is an identity provider of its own.
    private var key: String {
        guard let certificate else {
            return "A phone's own key needs https: --tls-certificate and --tls-key (docs/phone.md)."
        }
        return """
            \(baseURL)/self-issued/start?return=%2Fcontacts
                  Copy the address of "Open the app another way"; this plays the phone:
                  \(program)-phone handle 'ADDRESS' --ca \(certificate) --allow-private --open xdg-open
            """
    }

    /// The packages bring the service alone.
    private static let whereAppsAre = """
                  (drawbridge-app and drawbridge-phone come with a clone of the sources: make demo)

        """

    private static let hasApps: Bool = {
        let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return own.map { FileManager.default.isExecutableFile(atPath: $0 + "-app") } ?? false
    }()

    var text: String {
        """

          Drawbridge is running.

          Click   \(baseURL)/
                  Pick a person and tap "Open contacts on the web": you land there, signed in.

          Curl    BEARER=\(bearer.expose())
                  (good for 10 minutes; the page has a fresh one)

                  LOGIN_URL=$(curl -s -X POST \(baseURL)/api/auth/create-sso-token \\
                       -H "Authorization: Bearer $BEARER" -d redirect=/contacts |
                       sed -n 's/.*"login_url":"\\([^"]*\\)".*/\\1/p'); echo "$LOGIN_URL"

                  Then, within 60 s, as a browser would open it:

                  curl -s -i -c jar -H 'Sec-Fetch-Mode: navigate' -H 'Sec-Fetch-Dest: document' \\
                       -H 'Sec-Fetch-Site: none' "$LOGIN_URL"
                  curl -s -b jar \(baseURL)/session
                  (the first curl once more, without -c jar, a few seconds later: refused, and that
                  session is ended; at once, it counts as a double tap and opens nothing)

          App     \(program)-app sign-in --issuer \(baseURL)
                  Your browser asks: alice, \(password?.expose() ?? "and her password, which is not the demo's any more")
                  \(program)-app open /contacts --issuer \(baseURL)
        \(Self.hasApps ? "" : Self.whereAppsAre)
          Phone   \(baseURL)/signin/phone
                  The app plays the phone: \(program)-app approve LETTERS --issuer \(baseURL)

          Key     \(key)

          Admin   \(baseURL)/admin/
                  Sign in there with this token, or use it with curl as a bearer:
                  \(adminToken.expose())
                  Or sign in with an account: admin, \(adminPassword?.expose() ?? "whose password is another by now")

                  curl -s -H "Authorization: Bearer \(adminToken.expose())" \\
                       \(baseURL)/api/admin/audit-events

          Look    \(program) audit tail \(record)
                  curl -s \(managementURL)/readyz
                  curl -s \(managementURL)/metrics

          Stop    Ctrl-C

        """
    }
}
