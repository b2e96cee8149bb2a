import Bridge
import Foundation
import Testing

@testable import drawbridge

@Suite struct TelemetrySettingsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ given: [SettingKey: String]) -> (TelemetrySettings, [String]) {
        let reader = SettingsReader(RawSettings(given: given))
        return (TelemetrySettings(reading: reader), reader.problems.map { "\($0.key): \($0.message)" })
    }

    @Test func `without an endpoint nothing is recorded`() {
        let (settings, problems) = read([TelemetrySettings.sample.key: "0.5"])
        #expect(settings.endpoint == nil && settings.share == 0.5 && problems.isEmpty)
    }

    @Test(arguments: [
        "https://otel.example.com/v1/traces", "http://127.0.0.1:4318/v1/traces",
        "http://collector.observability:4318/v1/traces",
    ])
    func `a collector is asked over https, or in the clear where nothing opens it`(url: String) {
        let (settings, problems) = read([TelemetrySettings.endpointURL.key: url])
        #expect(settings.endpoint == url && settings.share == 0 && problems.isEmpty)
    }

    @Test(arguments: [
        "otel.example.com", "ftp://otel.example.com/", "https://user:secret@otel.example.com/v1/traces",
        "https://otel.example.com/v1/traces?key=secret", "http://otel.example.com/v1/traces#x", "http://",
    ])
    func `what is no address of a collector is refused`(url: String) {
        let (_, problems) = read([TelemetrySettings.endpointURL.key: url])
        #expect(problems == ["telemetry.endpoint: must be an https or http URL without user or query"])
    }

    @Test func `an authorization is one line of a private file, and does not travel in the clear`() throws {
        let path = try folder.file("otel-token", "Bearer abc\n")
        func read(_ url: String) -> (TelemetrySettings, [String]) {
            self.read([TelemetrySettings.endpointURL.key: url, TelemetrySettings.authorizationFile.key: path])
        }
        let (settings, problems) = read("https://otel.example.com/v1/traces")
        #expect(settings.authorization?.expose() == "Bearer abc" && problems.isEmpty)
        #expect(read("http://127.0.0.1:4318/v1/traces").1.isEmpty)
        #expect(
            read("http://collector:4318/v1/traces").1
                == ["telemetry.endpoint: must be https where telemetry.authorization_file goes along"])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(read("https://otel.example.com/v1/traces").1.count == 1)
    }
}
