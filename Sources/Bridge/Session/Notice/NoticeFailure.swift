/// Why a notice was given up: the reason in the audit log (docs/audit-format.md).
enum NoticeFailure: Hashable, Sendable {
    /// The client is not known here, or has nowhere to be told.
    case noReceiver
    /// There is nothing to sign the notice with.
    case noSecret
    /// No answer in time.
    case unreachable
    /// What the receiver answered at the last attempt.
    case status(Int)

    var reason: String {
        switch self {
        case .noReceiver: "no_receiver"
        case .noSecret: "no_secret"
        case .unreachable: "unreachable"
        case .status(let status): "status_\(status)"
        }
    }

    /// - Parameter status: the last answer's; `nil` where none came.
    init(lastStatus status: Int?) {
        self = status.map(NoticeFailure.status) ?? .unreachable
    }
}
