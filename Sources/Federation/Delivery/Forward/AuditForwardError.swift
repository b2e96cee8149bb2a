/// Why a receiver is no longer served; names no event.
struct AuditForwardError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
