// What docs/apps.md uses of Apple's framework, so that the page is type-checked. Nothing here runs. Taken from Apple's
// documentation; whether the signature is right only a Mac can say.
public import Foundation

@MainActor open class UIApplication: NSObject {
    open class var shared: UIApplication { fatalError("a stand-in") }
    @discardableResult open func open(_ url: URL) async -> Bool { false }
}
