import ArgumentParser
import DrawbridgeClient

/// Ends the sign-in.
struct SignOutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Sign out: on this device, in every app and on the web.",
        usage: "drawbridge-app sign-out [<options>]",
        discussion: """
            Ends the device secret at the provider, and with it every app and web session that came from it. The \
            secrets leave this device also when the provider cannot be told.
            """)

    @OptionGroup var options: AppOptions

    @Flag(
        name: .customLong("this-app"),
        help: "This app alone. Of the app that the others were signed in by it is the same.")
    var endsThisAppAlone = false

    func run() async throws {
        try await options.run { drawbridge throws(ClientError) in
            try await drawbridge.signOut(endsThisAppAlone ? .thisApp : .device)
            say("Signed out.")
        }
    }
}
