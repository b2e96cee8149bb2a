import Hummingbird

// The baseline of every ratio in RESULTS.md: the smallest service this stack can be, same HTTP server, same build.
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8090
let router = Router()
router.get("/hello") { _, _ in "hello" }
router.post("/hello") { request, _ in
    _ = try await request.body.collect(upTo: 16_384)
    return "hello"
}
let application = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: port), serverName: "hello"))
try await application.runService()
