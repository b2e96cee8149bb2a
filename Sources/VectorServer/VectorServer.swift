import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import OAuth2
import Synchronization

/// Plays the provider for the test programs of client libraries, one case at a time, and judges what they did.
///
/// For tests alone: it listens on loopback, opens no store, and knows nothing of a real instance.
package final class VectorServer: Sendable {
    private struct State {
        var runs: [String: VectorRun] = [:]
        var results: [String: [String: Bool]] = [:]
        var count = 0
    }

    private let cases: [String: VectorCase]
    private let list: JSONValue
    private let advice: VectorAdvice
    private let state = Mutex(State())
    private let address = Mutex("")

    package init(_ cases: [VectorCase], _ advice: VectorAdvice) {
        self.advice = advice
        self.cases = Dictionary(cases.map { ($0.id, $0) }) { first, _ in first }
        list = .object(["cases": .array(cases.map(\.summary))])
    }

    /// Listens on 127.0.0.1, nowhere else.
    /// - Parameter port: 0 picks a free one.
    /// - Returns: the address, such as `http://127.0.0.1:4711`.
    package func start(port: Int = 0) async throws -> String {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes))
                    try channel.pipeline.syncOperations.addHandler(decoder)
                    try channel.pipeline.syncOperations.addHandler(VectorHandler(self))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        let found = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
        address.withLock { $0 = found }
        return found
    }

    /// What a request gets, and what to call when the whole of a huge answer was taken.
    func answer(_ request: ReceivedRequest) -> (answer: ScriptedAnswer, onTaken: @Sendable () -> Void) {
        let parts = request.path.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true).map(String.init)
        let rest = "/" + (parts.count > 2 ? parts[2] : "")
        switch (request.method, parts.first ?? "") {
        case ("GET", "cases"): return (ScriptedAnswer(json: list), {})
        case ("GET", "results"): return (ScriptedAnswer(json: results), {})
        case ("POST", "case") where parts.count == 2: return (begin(parts[1], request.query), {})
        case ("POST", "run") where parts.count == 3 && rest == "/result": return (judge(parts[1], request), {})
        case (_, "r") where parts.count > 1: return play(parts[1], rest, request)
        case (_, "trap") where parts.count > 1:
            with(parts[1]) {
                $0.note("\(request.method) to another origin: a redirect or a foreign address was followed")
            }
            return (ScriptedAnswer(code: 404), {})
        default: return (ScriptedAnswer(code: 404), {})
        }
    }

    private func with(_ run: String, _ act: (inout VectorRun) -> Void) {
        state.withLock { state in
            guard var found = state.runs[run] else { return }
            act(&found)
            state.runs[run] = found
        }
    }

    private func begin(_ id: String, _ query: String) -> ScriptedAnswer {
        guard let vector = cases[id] else { return ScriptedAnswer(code: 404) }
        let origin = address.withLock { $0 }
        let library = (try? FormParameters(bytes: Array(query.utf8)))?["library"] ?? "unnamed"
        return state.withLock { state in
            state.count += 1
            let name = "\(state.count)"
            var run = VectorRun(vector, origin: origin, run: name, library: library)
            let description = run.description(run: name)
            state.runs[name] = run
            return ScriptedAnswer(json: description, code: 201)
        }
    }

    private func play(
        _ name: String, _ path: String, _ request: ReceivedRequest
    ) -> (answer: ScriptedAnswer, onTaken: @Sendable () -> Void) {
        var answer = ScriptedAnswer(code: 404)
        with(name) {
            answer = $0.answer(
                ReceivedRequest(
                    method: request.method, path: path, query: request.query, headers: request.headers,
                    body: request.body))
        }
        return (answer, { [self] in with(name) { $0.note("the whole of a huge answer was taken in") } })
    }

    private func judge(_ name: String, _ request: ReceivedRequest) -> ScriptedAnswer {
        guard let report = JSONValue.parse(bytes: request.body, depth: 24) else { return ScriptedAnswer(code: 400) }
        return state.withLock { state in
            guard var run = state.runs.removeValue(forKey: name) else { return ScriptedAnswer(code: 404) }
            let problems = run.judge(report, advice)
            state.results[run.library, default: [:]][run.vector.id] = problems.isEmpty
            return ScriptedAnswer(
                json: .object([
                    "passed": .bool(problems.isEmpty), "problems": .array(problems.map { .string($0) }),
                ]))
        }
    }

    private var results: JSONValue {
        .object(state.withLock { $0.results }.mapValues { .object($0.mapValues { .bool($0) }) })
    }
}
