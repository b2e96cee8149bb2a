import Hummingbird
import OAuth2

extension Request {
    /// The parameters of the address; empty where it has no query.
    func query() throws(FormParameters.Failure) -> FormParameters {
        try FormParameters(bytes: Array((uri.query ?? "").utf8))
    }

    /// As ``query()``, of a link that somebody follows: one broken escape does not spoil the rest.
    func queryOfLink() throws(FormParameters.Failure) -> FormParameters {
        try FormParameters(keepingMalformed: Array((uri.query ?? "").utf8))
    }
}
