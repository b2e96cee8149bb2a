import ArgumentParser
import Bridge
import Logging
import RedisStorage
import SQLStorage

/// The whole product in one command, with a website to try it on (contract §15).
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Start everything on this machine, with a demo website to try it on.",
        discussion: """
            Needs nothing else and leaves nothing behind, unless --data names a folder. It listens on plain \
            HTTP, on loopback only: browsers treat loopback as trustworthy, so cookies stay Secure. With \
            --tls-certificate and --tls-key it speaks https, and drawbridge-phone signs in with its key.

            In a container, whose port is published on loopback, it has to listen beyond the container's own: \
            --open-to-network. Whoever reaches the port then signs in as anybody. Its links lead to 127.0.0.1 \
            unless --issuer names another origin.

            Examples:
              drawbridge demo
              drawbridge demo --listen 127.0.0.1:0 --data /tmp/demo --print-json
              drawbridge demo --listen 0.0.0.0:8080 --open-to-network

            A second node of the same demo finds everything in the database, keys and users too:

              drawbridge demo --database $DATABASE --redis redis://127.0.0.1:6379
              drawbridge demo --database $DATABASE --redis redis://127.0.0.1:6379 \\
                  --listen 127.0.0.1:8090 --issuer http://127.0.0.1:8080
            """)

    @Option(help: "Address and port of the website; port 0 picks a free one.")
    var listen = "127.0.0.1:8080"

    @Flag(help: "Listen beyond loopback too, in plain HTTP, for containers: anybody who connects may sign in.")
    var openToNetwork = false

    @Option(help: "Address and port of /livez, /readyz, /metrics. Default: the next port.")
    var managementListen: String?

    @Option(name: .customLong("data"), help: "Folder to keep everything in; a second start finds it again.")
    var dataPath: String?

    @Option(help: "Keep everything in this PostgreSQL database instead, for several nodes: a postgres:// URL.")
    var database: String?

    @Option(help: "Present this origin as the issuer and in links, instead of the one listened on.")
    var issuer: String?

    @Option(help: "Speak https with this certificate, a PEM file that names 127.0.0.1.")
    var tlsCertificate: String?

    @Option(help: "The certificate's private key, a PEM file that only its owner may read.")
    var tlsKey: String?

    @Option(help: "Share the replay guard, the limits and the news of ended sessions through this Redis.")
    var redis: String?

    @Option(help: "Trace requests; spans go to this OTLP address, such as http://127.0.0.1:4318/v1/traces.")
    var traces: String?

    @Option(help: "The share of requests to trace, from 0 to 1; without it all of them.")
    var traceShare: String?

    @Flag(help: "Lift the rate limits, for load tests.")
    var noLimits = false

    @Flag(name: .customLong("print-json"), help: "Print one line of JSON when ready, and nothing else on stdout.")
    var printsJSON = false

    func validate() throws {
        for text in [listen, managementListen].compactMap({ $0 }) {
            guard let address = ListenAddress(text) else {
                throw ValidationError("\(text) is not an address and a port, such as 127.0.0.1:8080.")
            }
            guard address.isLoopback || openToNetwork else {
                throw ValidationError(
                    "\(text): the demo listens on loopback only, because it speaks plain HTTP and lets anybody sign in "
                        + "as anybody. In a container whose port is published on 127.0.0.1 alone, add --open-to-network."
                )
            }
        }
        if let database {
            do { _ = try PostgresAddress(database) } catch { throw ValidationError("--database: \(error).") }
        }
        if let redis {
            do { _ = try RedisURL(redis) } catch { throw ValidationError("--redis: \(error).") }
        }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("--tls-certificate and --tls-key belong together.")
        }
        if let traces, !TelemetrySettings.isEndpoint(traces) {
            throw ValidationError("--traces must be \(TelemetrySettings.expectation).")
        }
        if let traceShare {
            guard traces != nil else { throw ValidationError("--trace-share needs --traces.") }
            guard TelemetrySettings.sample.parse(traceShare) != nil else {
                throw ValidationError("--trace-share must be \(TelemetrySettings.sample.key.kind.expectation).")
            }
        }
        if let issuer, WebOrigin(issuer) == nil {
            throw ValidationError("--issuer must be \(SettingKind.origin.expectation(insteadOf: issuer)).")
        }
    }

    func run() async throws {
        AllocatorArenas.limit()
        let process = await ServingProcess(hangUp: .stop)
        JSONLogHandler.bootstrap(level: .info)
        let folder = try DemoFolder(named: dataPath)
        defer { folder.discard() }
        let demo = try await DemoInstance(
            folder: folder, listen: try address(), issuer: issuer.flatMap { WebOrigin($0) }, hasLimits: !noLimits,
            database: try database.map { try PostgresAddress($0) },
            redis: redis.map { SharedRedisSettings(connection: try RedisSettings(url: $0)) },
            tls: tlsCertificate.flatMap { certificate in tlsKey.map { (certificate, $0) } },
            traces: traces.map { ($0, traceShare ?? "1") })
        try await demo.run(in: process) { facts, guide in
            let text = printsJSON ? try facts.line() : guide.text
            StandardOutput.say(text)
        }
    }

    /// Both addresses with ports that are free now.
    private func address() throws -> (public: ListenAddress, management: ListenAddress) {
        guard let listen = ListenAddress(listen) else { throw ValidationError("--listen is malformed.") }
        let port = listen.port == 0 ? try FreePort.pick(host: listen.host) : listen.port
        let named = managementListen.flatMap { ListenAddress($0) }
        // What is opened to the network is the website, unless somebody asks for more.
        let host = named?.host ?? (listen.isLoopback ? listen.host : "127.0.0.1")
        var managementPort = named?.port ?? 0
        while managementPort == 0 || managementPort == port && named?.port == 0 {
            managementPort = try FreePort.pick(host: host, startingAt: named == nil ? port + 1 : nil)
        }
        return (
            ListenAddress(host: listen.host, port: port), ListenAddress(host: host, port: managementPort)
        )
    }
}
