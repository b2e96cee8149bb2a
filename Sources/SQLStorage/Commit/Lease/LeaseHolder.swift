import Bridge
import Foundation
import OAuth2

/// Who holds a node's lease: a process, told apart from every other, and known to be gone where that can be known.
struct LeaseHolder: Hashable, Sendable {
    let text: String

    /// This process, once for every time that it opens a database.
    init(random: RandomSource = .system) {
        text = "\(Self.host) \(getpid()) \(Self.startTime(of: getpid()) ?? "?") \(Base64URL.encode(random.bytes(12)))"
    }

    init(text: String) { self.text = text }

    /// Whether the process has certainly ended: it ran where this one runs, and its number is free or another's now.
    ///
    /// A wrong answer forks no chain, since its epoch keeps the process from writing; it would only take the name from
    /// a process that still uses it.
    var hasEnded: Bool {
        let parts = text.split(separator: " ").map(String.init)
        guard parts.count == 5, "\(parts[0]) \(parts[1])" == Self.host, !Self.host.hasPrefix("?"),
            let process = Int32(parts[2])
        else { return false }
        return Self.startTime(of: process) != parts[3]
    }

    /// The run of the kernel, and the space of process numbers in it.
    private static let host: String = {
        let space = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
        return "\(KernelRun.id ?? "?") \(space ?? "?")"
    }()

    /// When a process started, in ticks of its kernel; `nil` when there is none of the number, or only its remains.
    private static func startTime(of process: Int32) -> String? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/stat"),
            // The name, in parentheses, may hold anything; the fields are counted from its end.
            let end = bytes.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
        guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
        return String(fields[19])
    }
}

/// The run of the kernel: another one has lost whatever the last had not yet written to its disks.
package enum KernelRun {
    package static let path = "/proc/sys/kernel/random/boot_id"

    /// `nil` where it cannot be read; then a process that ended without a word cannot be told from a loss of power.
    package static let id: String? = FileManager.default.contents(atPath: path).map {
        String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
