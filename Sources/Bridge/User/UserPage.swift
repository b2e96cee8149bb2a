/// A page of a search among users.
package struct UserPage: Hashable, Sendable {
    package let users: [UserOverview]
    /// After whom the next page begins; `nil` when there is none.
    package let next: Subject?

    package init(users: [UserOverview], next: Subject?) {
        self.users = users
        self.next = next
    }
}
