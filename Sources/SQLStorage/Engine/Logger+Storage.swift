package import Logging

extension Logger {
    /// Where a storage writes that is given no other logger.
    package static var storage: Logger { Logger(label: "drawbridge.storage") }
}
