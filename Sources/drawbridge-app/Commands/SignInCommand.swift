import ArgumentParser
import DrawbridgeClient

/// Signs the user in.
struct SignInCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-in", abstract: "Sign in through your browser, or by what another app has left.",
        usage: "drawbridge-app sign-in [<options>]",
        discussion: """
            Opens the system's browser, never a window of its own, and waits on 127.0.0.1 and [::1] for the \
            answer. It answers one address, once.

            Examples:
              drawbridge-app sign-in
              drawbridge-app sign-in --print-url      open the address yourself
              drawbridge-app sign-in --device         by a code that you enter elsewhere
              drawbridge-app sign-in --silent --app demo-app-b
            """)

    @OptionGroup var options: AppOptions

    @Flag(help: "Only by the sign-in of another app of this device; ask nobody. Status 3 when that is not possible.")
    var silent = false

    @Flag(name: .customLong("print-url"), help: "Print the address to open, and open nothing.")
    var printsAddress = false

    @Flag(help: "Show a code to enter on another device, for a machine without a browser.")
    var device = false

    @Option(help: "Seconds to wait for the browser, or for the other device.")
    var timeout = 300

    @Option(help: "The address to come back to: ipv4 or ipv6. The listener is on both where there are both.")
    var loopback = LoopbackFamily.ipv4

    /// RFC 8252 §8.10: where an app knows several providers, each has a redirect address of its own.
    @Option(
        name: .customLong("callback-path"), help: "The path to come back to, as the app is registered. One per issuer.")
    var callbackPath = LoopbackListener.usualPath

    @Option(name: .customLong("login-hint"), help: "Whom to suggest on the sign-in page.")
    var loginHint: String?

    @Flag(name: .customLong("ask-again"), help: "Ask for the password even if the browser is signed in.")
    var asksAgain = false

    func validate() throws {
        guard (1...3_600).contains(timeout) else { throw ValidationError("--timeout is 1 to 3600 seconds.") }
        guard !device || !silent && !printsAddress else {
            throw ValidationError("--device goes with neither --silent nor --print-url.")
        }
        // A redirect address is compared as a whole, and the query is the answer's.
        guard callbackPath.first == "/", callbackPath.utf8.allSatisfy(Self.isOfPath) else {
            throw ValidationError("--callback-path begins with a slash and has letters, digits and -._~/ alone.")
        }
        guard !silent || !printsAddress else { throw ValidationError("--silent opens no address to print.") }
    }

    func run() async throws {
        if silent {
            var outcome = SilentSignIn.needsSignIn(.nothingShared)
            var name = ""
            try await options.run { drawbridge throws(ClientError) in
                outcome = await drawbridge.signInSilently()
                if case .signedIn(let claims) = outcome { name = await Self.name(of: claims, drawbridge) }
            }
            return try report(outcome, name)
        }
        if device { return try await signInElsewhere() }
        let browser = DesktopBrowser(
            launcher: printsAddress ? .printing : .system(), family: loopback, path: callbackPath,
            patience: .seconds(timeout))
        let wishes = SignInOptions(loginHint: loginHint, asksAgain: asksAgain)
        tell(
            printsAddress
                ? "Open this address in a browser of this machine, within \(timeout) seconds:"
                : "Waiting for the sign-in in your browser, for \(timeout) seconds at most. Ctrl-C gives up.")
        try await options.run { drawbridge throws(ClientError) in
            let claims = try await drawbridge.signIn(with: browser, options: wishes)
            let name = await Self.name(of: claims, drawbridge)
            say("Signed in as \(name).")
        }
    }

    private static func isOfPath(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~/".utf8.contains(byte)
        }
    }

    /// The code is entered where there is a browser; this machine asks until that has happened (RFC 8628).
    private func signInElsewhere() async throws {
        try await options.run { drawbridge throws(ClientError) in
            let device = try await drawbridge.beginDeviceSignIn()
            try printResult(
                "On another device, open \(device.verificationAddress) and enter the code \(device.userCode).")
            if let complete = device.completeAddress { say("Or open \(complete) and compare the code.") }
            say("Do that only where you are yourself: whoever enters the code is signed in here.")
            let claims = try await drawbridge.finishDeviceSignIn(device, patience: Double(timeout))
            let name = await Self.name(of: claims, drawbridge)
            say("Signed in as \(name).")
        }
    }

    /// What the person knows themselves by. They are signed in whether or not the provider tells it now.
    private static func name(of claims: IDTokenClaims, _ drawbridge: Drawbridge) async -> String {
        let person = try? await drawbridge.person()
        return plain(person?.name ?? person?.username ?? claims.subject)
    }

    private func report(_ outcome: SilentSignIn, _ name: String) throws {
        switch outcome {
        case .signedIn: say("Signed in as \(name), without asking.")
        case .needsSignIn(let reason):
            let status = ExitStatus(reason)
            let hint = status == .notSignedIn ? options.signInHint : ""
            throw status.end(saying: Self.words(reason) + hint)
        }
    }

    private static func words(_ reason: SilentFallback) -> String {
        switch reason {
        case .nothingShared: "no app of this device has a sign-in to share"
        case .partsDoNotFit: "what another app has left does not belong together"
        case .refused(let refusal): "the provider refused: \(refusal)"
        case .notBelieved(let flaw): "\(ClientError.idToken(flaw))"
        case .failed(let error): "\(error)"
        }
    }
}
