import ArgumentParser
import Bridge
import OAuth2

extension UsersCommand {
    struct Claims: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set what apps may learn of a user beyond name and e-mail address.",
            discussion: """
                Standard claims of OpenID Connect: given_name, family_name, middle_name, nickname, gender, \
                birthdate, zoneinfo, locale, phone_number, address, profile, picture, website, email_verified \
                and phone_number_verified; and groups, a list of names for websites with the scope groups. The \
                new ones replace all that were kept; {} keeps none.

                Example:
                  echo '{"locale": "en", "groups": ["editors"]}' \\
                    | drawbridge users claims --config drawbridge.yaml alice -
                """)

        @OptionGroup var options: StorageOptions
        @OptionGroup var why: ReasonOption
        @Argument(help: "The user name or the subject.") var user: String
        @Argument(help: "A file with a JSON object, or - for standard input.") var path: String

        func run() async throws {
            guard let object = JSONValue.parse(try InputFile(path).read())?.object else {
                throw CommandError("\(path) holds no JSON object.")
            }
            let claims: StandardClaims
            do {
                claims = try StandardClaims(object)
            } catch .unknownMember(let name) {
                throw CommandError("\(path): \(name.debugDescription) is not a claim that can be kept.")
            } catch {
                throw CommandError("\(path): \(error).")
            }
            let action = why.action()
            let outcome = try await options.withRegisters { registers in
                let subject = try await UserName(user).requiredAccount(in: registers.storage).subject
                return try await registers.users.change(
                    subject, UserChange(claims: claims), password: nil, action: action)
            }
            let count = claims.values.count == 1 ? "1 claim" : "\(claims.values.count) claims"
            switch outcome {
            case .changed: StandardOutput.say("\(user) has \(count).")
            case .unchanged: StandardOutput.say("\(user) has \(count) already.")
            case .noAccount, .lastAdministrator, .usernameTaken, .changedMeanwhile: throw UserName(user).noAccount
            }
        }
    }
}
