#if os(Linux)
    import DrawbridgeClient
    import Foundation
    import Testing

    /// With a stand-in for `secret-tool` that keeps secrets in files named by its arguments.
    @Suite(.serialized) struct SecretServiceStoreTests {
        private let folder = FileManager.default.temporaryDirectory.appending(path: "drawbridge-tool-\(UUID())")
        private let item = SecretItem(service: "com.example.sso", account: "device_secret", accessGroup: "T.sso")

        private static let tool = """
            #!/bin/sh
            here=$(dirname "$0")
            verb=$1; shift
            [ "$verb" = store ] && shift
            file="$here/kept-$(echo "$*" | tr '/ ' '__')"
            echo "$verb $*" >> "$here/calls"
            case $verb in
            store) cat > "$file" ;;
            lookup) [ -f "$file" ] || exit 1; cat "$file" ;;
            clear) rm -f "$file" ;;
            esac
            """

        private func with(_ script: String, _ work: ([String: String]) async throws -> Void) async throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "secret-tool")
            try script.write(to: file, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o755], ofItemAtPath: file.path(percentEncoded: false))
            try await work([
                "PATH": "\(folder.path(percentEncoded: false)):/usr/bin:/bin",
                "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x",
            ])
        }

        @Test func `a secret is kept, found, replaced and forgotten`() async throws {
            try await with(Self.tool) { environment in
                let store = try #require(await SecretServiceStore.available(environment: environment))
                #expect(try await store.read(item) == nil)
                try await store.write(Redacted("ds_1"), to: item)
                try await store.write(Redacted("ds_2"), to: item)
                #expect(try await store.read(item)?.expose() == "ds_2")
                try await store.remove(item)
                #expect(try await store.read(item) == nil)
            }
        }

        @Test func `a secret is never among the arguments`() async throws {
            try await with(Self.tool) { environment in
                let store = try #require(await SecretServiceStore.available(environment: environment))
                try await store.write(Redacted("ds_very-secret"), to: item)
                let calls = try String(contentsOf: folder.appending(path: "calls"), encoding: .utf8)
                #expect(calls.contains("store service com.example.sso account device_secret access_group T.sso"))
                #expect(!calls.contains("very-secret"))
            }
        }

        @Test func `a tool without a service behind it is not used`() async throws {
            try await with("#!/bin/sh\necho 'secret-tool: Cannot autolaunch D-Bus' >&2; exit 1") { environment in
                #expect(await SecretServiceStore.available(environment: environment) == nil)
            }
        }

        @Test func `without the tool there is no such store`() async {
            let environment = ["PATH": "/nowhere", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]
            #expect(await SecretServiceStore.available(environment: environment) == nil)
        }

        @Test func `without a session bus nobody is asked`() async throws {
            try await with(Self.tool) { environment in
                #expect(await SecretServiceStore.available(environment: ["PATH": environment["PATH"] ?? ""]) == nil)
                #expect(
                    !FileManager.default.fileExists(atPath: folder.appending(path: "calls").path(percentEncoded: false))
                )
            }
        }

        @Test func `a service that stops answering is an error, not an empty store`() async throws {
            try await with(Self.tool) { environment in
                let store = try #require(await SecretServiceStore.available(environment: environment))
                let tool = folder.appending(path: "secret-tool")
                try "#!/bin/sh\necho gone >&2; exit 1".write(to: tool, atomically: false, encoding: .utf8)
                await #expect(throws: ClientError.secretStore("the secret service does not answer")) {
                    try await store.read(item)
                }
            }
        }
    }
#endif
