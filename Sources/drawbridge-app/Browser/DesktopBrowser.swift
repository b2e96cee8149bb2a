import DrawbridgeClient
import Synchronization

/// The way through the desktop's browser and back to a listener on loopback (RFC 8252 §7.3, §8.3).
final class DesktopBrowser: SignInBrowser {
    private let launcher: BrowserLauncher
    private let family: LoopbackFamily
    private let path: String
    private let patience: Duration
    private let listener = Mutex<LoopbackListener?>(nil)

    /// - Parameters:
    ///   - path: of the address to come back to.
    ///   - patience: how long to wait for the person.
    init(
        launcher: BrowserLauncher, family: LoopbackFamily, path: String = LoopbackListener.usualPath,
        patience: Duration
    ) {
        self.launcher = launcher
        self.family = family
        self.path = path
        self.patience = patience
    }

    /// Listens before anything is opened: the port is ours before its number leaves the process.
    func prepare() async throws(ClientError) -> RedirectAddress {
        let bound = try await LoopbackListener.bind(family, path: path)
        listener.withLock { $0 = bound }
        return try RedirectAddress(bound.address)
    }

    func open(_ request: SignInRequest) async throws(ClientError) -> String {
        guard let listener = listener.withLock({ $0.take() }) else {
            throw .configuration("the browser was not prepared")
        }
        let answers = listener.answers { address in
            guard request.isAnswer(address) else { return .notOurs }
            return request.flaw(in: address) == nil ? .finished : .unfinished
        }
        do throws(ClientError) {
            try await launcher.open(request.address)
        } catch {
            await listener.close()
            throw error
        }
        let patience = Task { [patience] in
            try await Task.sleep(for: patience)
            listener.giveUp()
        }
        var answer: String?
        for await address in answers {
            answer = address
            break
        }
        patience.cancel()
        await listener.close()
        guard let answer else { throw .timedOut }
        return answer
    }
}
