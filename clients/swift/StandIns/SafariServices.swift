// The signatures of Apple's framework that the library uses, so that its adapter is type-checked where there is none.
// Nothing here runs. Taken from Apple's documentation; whether they are right only a Mac can say.
public import Foundation

/// Safari within an app.
@MainActor open class SFSafariViewController: NSObject {
    /// As Apple declares it.
    public init(url: URL) {}
}
