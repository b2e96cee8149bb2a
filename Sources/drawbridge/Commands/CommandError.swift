/// Why a command could not do what it was asked, for the person who asked; it ends with status 1.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    /// - Parameter description: a whole sentence.
    init(_ description: String) { self.description = description }

    /// - Parameter clause: what completes a sentence elsewhere, such as "the directory … does not exist".
    init(clause: String) { description = CommandFailure.sentence(clause) }
}
