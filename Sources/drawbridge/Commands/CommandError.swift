/// Why a command could not do what it was asked, for the person who asked; it ends with status 1.
struct CommandError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
