import HTTPTypes
import Hummingbird

extension Response {
    /// Sends the browser on by `GET`: what it posted goes no further (RFC 9700 §4.12).
    ///
    /// Whether it is the address that is left or the one that follows that holds a secret: no cache keeps the answer, and
    /// the next server does not hear where the visitor came from.
    static func seeOther(_ location: String) -> Response {
        Response(
            status: .seeOther,
            headers: [.location: location, .cacheControl: "no-store", .referrerPolicy: "no-referrer"])
    }
}

extension HTTPField.Name {
    static let referrerPolicy = literal("Referrer-Policy")
}
