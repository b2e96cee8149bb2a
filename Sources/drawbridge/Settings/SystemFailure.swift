import Foundation

/// What the system refused, as a sentence: what could not be done, with which file, and why.
///
/// Foundation's own descriptions name domains, codes and class names, which help nobody at three in the morning.
struct SystemFailure: Error, CustomStringConvertible {
    /// What could not be done, such as `write to standard output`.
    let task: String
    /// The system's number for why; `nil` where it gives none.
    private let code: Int32?
    /// The file that it was about; `nil` where it was none, or nothing names it.
    private let path: String?

    /// Why, to stand after a colon: `no such file or directory`.
    var reason: String { code.map(Self.words) ?? "the system gives no reason" }

    var description: String { "Cannot \(task): \(reason)." }

    /// What to do about it, as a sentence; `nil` where the reason says it all.
    var remedy: String? {
        switch code {
        case EACCES, EPERM:
            path.flatMap { FileRights.obstacle(to: $0)?.remedy() }
                ?? "Run it as the account that owns the files (runuser -u drawbridge -- drawbridge …), or name another "
                + "place."
        case ENOSPC, EDQUOT: "Make room there, then try again."
        case EROFS: "Name a place that can be written to."
        default: nil
        }
    }

    /// - Returns: `nil` for an error that is not the system's.
    init?(_ error: any Error) {
        guard let (code, verb, path) = Self.read(error as NSError) else { return nil }
        task = "\(verb) \(path ?? "a file")"
        self.code = code
        self.path = path
    }

    /// - Parameter what: what could not be done: `write to standard output`.
    init(_ error: any Error, doing what: String) {
        let read = Self.read(error as NSError)
        task = what
        code = read?.code
        path = read?.path
    }

    /// - Parameters:
    ///   - what: what could not be done: `write to standard output`.
    ///   - path: the file that it was about, for what to do; `nil` where it was none.
    init(code: Int32, doing what: String, at path: String? = nil) {
        task = what
        self.code = code
        self.path = path
    }

    /// As `strerror(3)` says it, beginning small, since it stands after a colon; in words of our own where those are too
    /// few to tell what is wrong with a path.
    static func words(_ code: Int32) -> String {
        switch code {
        case EISDIR: return "it is a folder, not a file"
        case ENOTDIR: return "what should be a folder in its path is a file"
        default:
            let text = String(cString: strerror(code))
            return text.prefix(1).lowercased() + text.dropFirst()
        }
    }

    private static func read(_ error: NSError) -> (code: Int32?, verb: String, path: String?)? {
        switch error.domain {
        case NSPOSIXErrorDomain: return (Int32(error.code), "use", path(of: error))
        case NSCocoaErrorDomain:
            let cause = error.userInfo[NSUnderlyingErrorKey]
            let underlying = cause as? NSError
            // Foundation gives it as an object in some places and as a value in others, which is no object.
            let system =
                (cause as? POSIXError).map { Int32($0.code.rawValue) }
                ?? underlying.flatMap { $0.domain == NSPOSIXErrorDomain ? Int32($0.code) : nil }
            // Files have the codes up to 1023; what comes behind them is about text and JSON, which is not the system's.
            guard system != nil || error.code < 1024 else { return nil }
            return (system ?? code(of: error), verb(of: error), path(of: error) ?? underlying.flatMap(path))
        default: return nil
        }
    }

    /// Reading has the codes from 256, writing those from 512 (Foundation's FoundationErrors).
    private static func verb(of error: NSError) -> String {
        switch error.code {
        case 256..<512: "read"
        case 512..<1024: "write"
        default: "use"
        }
    }

    /// - Returns: `nil` for what says nothing of why.
    private static func code(of error: NSError) -> Int32? {
        switch CocoaError.Code(rawValue: error.code) {
        case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
        case .fileReadNoPermission, .fileWriteNoPermission: EACCES
        case .fileWriteOutOfSpace: ENOSPC
        case .fileWriteFileExists: EEXIST
        case .fileWriteVolumeReadOnly: EROFS
        case .fileReadTooLarge: EFBIG
        default: nil
        }
    }

    private static func path(of error: NSError) -> String? {
        error.userInfo[NSFilePathErrorKey] as? String
            ?? (error.userInfo[NSURLErrorKey] as? URL)?.path(percentEncoded: false)
    }
}
