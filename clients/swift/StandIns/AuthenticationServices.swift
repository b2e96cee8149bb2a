// The signatures of Apple's framework that the library uses, so that its adapter is type-checked where there is none.
// Nothing here runs. Taken from Apple's documentation; whether they are right only a Mac can say.
public import Foundation

/// A window, on Apple's systems.
public typealias ASPresentationAnchor = NSObject

/// Who says above which window the sheet opens.
@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

/// Why a session ended without an address.
public struct ASWebAuthenticationSessionError: Error {
    /// The reasons that Apple names.
    public enum Code: Sendable { case canceledLogin, presentationContextNotProvided, presentationContextInvalid }
    /// This one's.
    public let code: Code
}

/// The system's sheet for signing in.
@MainActor open class ASWebAuthenticationSession: NSObject {
    /// Called once, with the address that the browser was sent to.
    public typealias CompletionHandler = @Sendable (URL?, (any Error)?) -> Void
    /// Which address ends it.
    open class Callback: NSObject {
        /// As Apple declares it, from iOS 17.4 and macOS 14.4 on.
        open class func https(host: String, path: String) -> Self { fatalError("a stand-in") }
    }
    /// As Apple declares it.
    public init(url: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
    /// As Apple declares it, from iOS 17.4 and macOS 14.4 on.
    public init(url: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}
    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    @discardableResult open func start() -> Bool { false }
    open func cancel() {}
}
