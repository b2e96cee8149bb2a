import DrawbridgeClient
import Foundation

/// An app that does what it is told on standard input, for tests that look at it from outside: what it opens, what it
/// writes, and what is left in its memory.
@main
struct Journey {
    static func main() async throws {
        let app = Drawbridge(
            configuration: try ClientConfiguration(
                issuer: IssuerAddress(CommandLine.arguments[1]), clientID: "demo-app",
                sharing: SharingGroup(service: "example")),
            store: MemorySecretStore())
        note(app)
        while let line = readLine() {
            try await act(app, line.split(separator: " ").map(String.init))
            say("done")
        }
    }

    private static func act(_ app: Drawbridge, _ words: [String]) async throws {
        switch words[0] {
        case "sign-in": note(try await app.signIn(with: TypedBrowser()))
        case "own": show(try await app.openURL(path: words[1]))
        case "bearer": show(try await app.openURL(path: words[1], bearer: Redacted(words[2])))
        case "refused":
            do {
                note(try await app.openURL(path: words[1]))
            } catch {
                note(error)
                note(error.localizedDescription)
            }
        case "sign-out": try await app.signOut()
        // What pipes have buffered of the words before is written over.
        default: say(words[1])
        }
    }

    private static func show(_ link: LoginLink) {
        note(link)
        say(link.url.expose().absoluteString)
    }

    fileprivate static func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

    /// As somebody logs who looks for a fault: everything, as deep as the language prints it.
    private static func note(_ value: Any) {
        var text = "\(value) \(String(reflecting: value))\n"
        dump(value, to: &text)
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// Prints the address; the answer is typed in.
private struct TypedBrowser: SignInBrowser {
    func prepare() async throws(ClientError) -> RedirectAddress { try RedirectAddress("com.example.demo:/callback") }

    func open(_ request: SignInRequest) async throws(ClientError) -> String {
        Journey.say(request.address)
        guard let answer = readLine() else { throw .cancelled }
        return answer
    }
}
