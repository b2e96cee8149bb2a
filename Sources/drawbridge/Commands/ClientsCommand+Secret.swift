import ArgumentParser
import Bridge

extension ClientsCommand {
    struct SecretCommand: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "secret",
            abstract: "Make a client_secret and the line for it in the settings file.",
            discussion: """
                For a website or machine of the settings file that proves itself by a secret at the token \
                endpoint. The settings hold a digest only; the secret goes to the client, and is kept nowhere \
                here. To replace a secret, replace the line.

                A client of the database gets its secret from clients add. Another one is made on its page in the \
                console, or so:
                  drawbridge clients show --config FILE ID \\
                      | sed '/"client_secret_digest"/d' \\
                      | drawbridge clients add --config FILE --replace -

                Example:
                  drawbridge clients secret

                  clients:
                    - client_id: shop
                      client_type: web
                      redirect_uris: [https://shop.example.com/callback]
                      client_secret_digest: 47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU
                """)

        func run() throws {
            try StandardOutput.answer(Self.text(of: OpaqueSecret.make(.clientSecret, random: .system)))
        }

        /// The line for the client, then the line for the settings file.
        static func text(of secret: OpaqueSecret) -> String {
            """
            client_secret, shown this once: \(secret.expose())
            client_secret_digest: \(secret.digest)
            """
        }
    }
}
