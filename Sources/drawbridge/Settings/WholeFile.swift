import Foundation

/// Files that are read whole, with the system's own reason where they cannot be: of all that is no regular file Foundation
/// says that a right is missing.
enum WholeFile {
    /// The bytes of whatever has the name, be it a pipe.
    static func read(_ path: String) throws(SystemFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemFailure(code: errno, doing: "read \(path)", at: path) }
        defer { close(descriptor) }
        return try rest(of: descriptor, doing: "read \(path)", at: path)
    }

    /// What a descriptor still has.
    /// - Parameters:
    ///   - task: what could not be done: `read the standard input`.
    ///   - path: the file's, for what to do; `nil` where it is none.
    static func rest(
        of descriptor: Int32, doing task: String, at path: String? = nil
    ) throws(SystemFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count == 0 { return bytes }
            if count > 0 {
                bytes += buffer[..<count]
            } else if errno != EINTR {
                throw SystemFailure(code: errno, doing: task, at: path)
            }
        }
    }

    /// Why a file that is read more than once cannot be this one, as a clause; `nil` also for what is not there and for a
    /// folder, of which reading says so. A pipe would be empty the second time.
    static func obstacleToReadingAgain(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT) else { return nil }
        return "it is a pipe or a device, and it is read more than once: write it to a file first"
    }

    /// The text of a file that settings are in.
    static func settings(_ path: String) throws(UnreadableSettings) -> String {
        if let obstacle = obstacleToReadingAgain(path) { throw UnreadableSettings(reason: obstacle) }
        let bytes: [UInt8]
        do {
            bytes = try read(path)
        } catch {
            throw UnreadableSettings(reason: error.reason)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw UnreadableSettings(reason: "it is not text in UTF-8")
        }
        return text
    }
}

/// Why a file has no settings that could be read.
struct UnreadableSettings: Error {
    /// To stand after a colon.
    let reason: String
}
