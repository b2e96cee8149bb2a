import ArgumentParser

/// The identity provider of a phone, as a program: the library `SelfIssuedIdP` with files, a terminal and a network.
@main
struct DrawbridgePhone: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawbridge-phone",
        abstract: "Be your own identity provider: sign in at websites with a key of your own for each.",
        discussion: """
            A website shows a link, or a QR code of one. Give the link to this program, as a phone's system \
            would give it to an app:

              drawbridge-phone handle 'openid://authz?request_uri=…&state=…&nonce=…'

            It fetches what the website asks, checks by its certificate who that is, shows both, and asks you. \
            Only then does it make or take the key of that website and print the address that carries the answer; \
            --open gives it to your browser instead.

            Keys are in files that only you can read, one for each website; put them under a PIN with \
            `drawbridge-phone pin set`. Websites cannot compare them. Whoever loses them signs in another way \
            and links a new phone.

            Exit status: 0 answered, 10 declined (the website was told), 2 bad link, 3 the website was not \
            reached or not trusted, 4 its request was refused, 5 keys, PIN or profile cannot be used, or the \
            result cannot be written, 64 wrong usage. With 2, 3, 4 and 5 nothing was sent, unless it was the website that did not take what was \
            posted to it; the reason is on standard error, first its name.
            """,
        version: Version.text,
        subcommands: [HandleCommand.self, RegisterCommand.self, KeysCommand.self, PINCommand.self],
        defaultSubcommand: nil)
}
