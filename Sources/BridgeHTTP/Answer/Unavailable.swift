/// What cannot be shown or done while a store is away, as a visitor calls it.
enum Unavailable: Sendable {
    /// What a link leads to, which is still good.
    case link
    case signIn
    case page
}
