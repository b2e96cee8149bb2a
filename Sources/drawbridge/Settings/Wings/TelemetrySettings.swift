import Bridge
import Federation

/// Where spans of traced requests go, and which requests are traced.
struct TelemetrySettings: Sendable {
    static let endpointURL = Setting.text(
        "telemetry.endpoint",
        "Where spans are posted by OTLP over HTTP as JSON: a whole URL such as https://otel.example.com/v1/traces. "
            + "Without one nothing is recorded.")
    static let sample = Setting.fraction(
        "telemetry.sample", default: "0",
        "The share of requests that begin a trace. What a trusted proxy traces goes by the proxy's word.")
    static let authorizationFile = Setting.path(
        "telemetry.authorization_file", isReadOnce: true,
        "The Authorization header for that endpoint, one line; only its owner may read the file.")

    /// `nil` records nothing.
    let endpoint: String?
    /// The share of requests that is traced, from 0 to 1.
    let share: Double
    let authorization: Secret<String>?

    init(reading settings: SettingsReader) {
        endpoint = settings[Self.endpointURL]
        share = settings[Self.sample]
        let file = settings[Self.authorizationFile]
        authorization = settings.secret(Self.authorizationFile, at: file) { try $0.authorization() }
        guard let endpoint else { return }
        // The text itself is not told again: it may hold a password.
        if !Self.isEndpoint(endpoint) {
            settings.note(Self.endpointURL, "must be \(Self.expectation)")
        } else if file != nil, EndpointURL(endpoint) == nil {
            settings.note(Self.endpointURL, "must be https where \(Self.authorizationFile.key.name) goes along")
        }
    }

    static let expectation = "an https or http URL without user or query"

    /// Spans name nobody and hold no secret, so a collector in the same network may be asked in the clear. What opens
    /// it may not.
    static func isEndpoint(_ text: String) -> Bool {
        let secured = text.hasPrefix("http://") ? "https" + text.dropFirst("http".count) : text
        return EndpointURL(secured, allowingQuery: false) != nil
    }
}
