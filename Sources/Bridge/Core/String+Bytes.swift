extension String {
    /// Whether the other is the same byte by byte. `==` goes by canonical equivalence: to it U+212A is a `K`.
    package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
