import Bridge
import Foundation
import Testing

@testable import drawbridge

/// Settings files need the whole service to be judged, too much for a program that libFuzzer drives: here they are the
/// example, altered by a fixed sequence of chances.
@Suite struct SettingsFileTests {
    private static let example: [UInt8] = {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? Data(contentsOf: root.appending(path: "Config/drawbridge.example.yaml"))).map(Array.init) ?? []
    }()

    /// Numerical Recipes' generator: the same files everywhere.
    private struct Chances {
        var state: UInt64

        mutating func below(_ limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
    }

    private static let pieces = [
        "\n", ": ", "- ", "  ", "\t", "#", "'", "\"", "{", "}", "[", "]", "&a", "*a", "!!binary", "|", ">", "~", "null",
        "\u{0}", "é", "0x1F", "1e9", "-1", "off", "true", "<<: *a", "? ", "%", "@",
    ].map { Array($0.utf8) }

    private static func altered(_ number: Int) -> String {
        var chances = Chances(state: UInt64(number))
        let lines = example.split(separator: 0x0A)
        // A stretch of the example, since a whole one takes as long as a hundred of these.
        let start = chances.below(lines.count)
        var bytes = Array(lines[start..<min(start + 12, lines.count)].joined(separator: [0x0A]))
        for _ in 0..<(1 + chances.below(4)) where !bytes.isEmpty {
            let index = chances.below(bytes.count)
            switch chances.below(3) {
            case 0: bytes.remove(at: index)
            case 1: bytes.insert(contentsOf: pieces[chances.below(pieces.count)], at: index)
            default: bytes.removeSubrange(index..<min(bytes.count, index + 1 + chances.below(8)))
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a settings file that was altered is read or refused by name, and never quoted whole`() {
        var refused = 0
        for number in 0..<400 {
            let text = Self.altered(number)
            let file = SettingsFile(yaml: text)
            if !file.problems.isEmpty { refused += 1 }
            for problem in file.problems { #expect(!"\(problem)".isEmpty) }
            for (name, entry) in file.entries {
                #expect(file.names.contains(name))
                #expect(entry.line >= 0)
            }
            _ = file.layer
        }
        // Both ways are tried.
        #expect((20..<380).contains(refused), "\(refused)")
    }
}
