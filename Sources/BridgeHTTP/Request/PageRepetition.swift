/// Whether a page may be shown once more, as it was asked for.
enum PageRepetition: Hashable, Sendable {
    case never
    /// Where a query would make it do something, such as look a code up.
    case withoutQuery
    case withQuery
}
