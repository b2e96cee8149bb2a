import ArgumentParser
import DrawbridgeClient

/// A desktop app that signs its user in as RFC 8252 says, and carries the sign-in onto the web.
@main
struct DesktopApp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawbridge-app",
        abstract: "A native desktop app: signs in through your browser, and opens web pages signed in.",
        discussion: """
            With a demo running (drawbridge demo):

              drawbridge-app sign-in                opens your browser; sign in as alice
              drawbridge-app whoami
              drawbridge-app open /contacts         lands on the page, signed in
              drawbridge-app sign-in --silent --app demo-app-b
                                                    a second app, without a question
              drawbridge-app approve BCDF-GHJK      signs in a browser on another device
              drawbridge-app sign-out               ends all of it

            Tokens are kept in the desktop's secret service (GNOME Keyring, KWallet, KeePassXC) when secret-tool \
            is installed and a service answers, else in files that only you can read.

            Every option can come from the environment, as DRAWBRIDGEAPP_ISSUER, DRAWBRIDGEAPP_APP, \
            DRAWBRIDGEAPP_STORE and DRAWBRIDGEAPP_DIRECTORY.

            Exit status: 0 done, 1 failed, 3 nobody is signed in, 4 refused or cancelled, 5 no answer from the \
            browser in time, 6 the provider does not answer or is busy, 64 wrong usage.
            """,
        version: Drawbridge.version,
        subcommands: [
            SignInCommand.self, OpenCommand.self, ApproveCommand.self, DigitsCommand.self, LinkPhoneCommand.self,
            WhoAmICommand.self, CookiesCommand.self, SignOutCommand.self,
        ])
}
