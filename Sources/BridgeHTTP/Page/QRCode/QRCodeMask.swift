/// The eight patterns that a QR code's data may be turned over by (ISO/IEC 18004 §7.8.2).
enum QRCodeMask: Int, CaseIterable, Sendable {
    case chequered, rows, columns, diagonals, bricks, crosses, dots, waves

    /// Whether the module is turned over.
    func flips(row: Int, column: Int) -> Bool {
        switch self {
        case .chequered: (row + column) % 2 == 0
        case .rows: row % 2 == 0
        case .columns: column % 3 == 0
        case .diagonals: (row + column) % 3 == 0
        case .bricks: (row / 2 + column / 3) % 2 == 0
        case .crosses: row * column % 2 + row * column % 3 == 0
        case .dots: (row * column % 2 + row * column % 3) % 2 == 0
        case .waves: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }
}
