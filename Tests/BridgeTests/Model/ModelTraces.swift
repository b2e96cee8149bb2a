import Foundation
import Testing

/// Courses of the models in `model/`, as `model/check traces` has written them: what is done step by step, and what the
/// model says comes of it.
struct ModelTraces: Decodable {
    /// Steps are parted by semicolons, words and numbers by spaces.
    let handoff: [String]
    let device: [String]
    let lineage: [String]

    static func load() throws -> ModelTraces {
        let url = try #require(
            Bundle.module.url(forResource: "model_traces", withExtension: "json", subdirectory: "Cases"))
        return try JSONDecoder().decode(ModelTraces.self, from: Data(contentsOf: url))
    }
}

/// One step of a course.
struct ModelStep {
    let word: String
    let numbers: [Int]

    init(_ text: some StringProtocol) {
        let parts = text.split(separator: " ")
        word = parts.first.map { String($0) } ?? ""
        numbers = parts.dropFirst().compactMap { Int($0) }
    }

    subscript(_ index: Int) -> Int { numbers[index] }
}

/// The service, taken through the steps of a course.
protocol ModelReplay {
    /// Takes one step.
    /// - Returns: what the service says came of it, as the model would write it; `nil` for a step without an outcome.
    mutating func take(_ step: ModelStep) async throws -> [Int]?

    /// Whether the rest of the course cannot be compared, since model and service take it in other steps.
    var isOver: Bool { get }
}

extension ModelReplay {
    var isOver: Bool { false }

    /// - Returns: the first step that came to something else than the model says; `nil` when all agree.
    mutating func divergence(from trace: String) async throws -> String? {
        for (number, text) in trace.split(separator: ";").enumerated() {
            let step = ModelStep(text)
            let outcome = try await take(step)
            if isOver { break }
            guard let found = outcome else { continue }
            let expected = Array(step.numbers.suffix(found.count))
            if found != expected { return "step \(number) of \(trace): \(text) came to \(found)" }
        }
        return nil
    }
}

/// The same course with another outcome at its last step that has this word.
func planted(_ trace: String, at word: String) -> String {
    var steps = trace.split(separator: ";").map { String($0) }
    guard let index = steps.lastIndex(where: { $0.hasPrefix(word + " ") }) else { return trace }
    var words = steps[index].split(separator: " ").map { String($0) }
    words[words.count - 1] = words.last == "1" ? "2" : "1"
    steps[index] = words.joined(separator: " ")
    return steps.joined(separator: ";")
}
