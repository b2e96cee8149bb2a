import HTTPTypes
import Hummingbird

extension Response {
    /// The answer to `HEAD`: it has no content, and no length either where the one to `GET` has none (RFC 9110 §8.6).
    var withoutContent: Response {
        var answer = createHeadResponse()
        answer.headers[.contentLength] = headers[.contentLength]
        return answer
    }
}
