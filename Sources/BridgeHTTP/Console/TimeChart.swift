import Bridge

/// One line of a chart.
struct ChartSeries: Hashable, Sendable {
    let name: String
    /// `a`, `b` or `c`: the stylesheet's colour.
    let style: String
    let values: [Int64]
}

/// Lines over time as SVG: no script, no style of its own, and read out by a screen reader as one sentence.
struct TimeChart: Sendable {
    let title: String
    let axis: TimeAxis
    let series: [ChartSeries]
    let words: ConsoleWords

    private static let size = (width: 640, height: 200)
    private static let plot = (left: 44, right: 632, top: 12, bottom: 172)

    var svg: String {
        let top = Self.ceiling(series.flatMap(\.values).max() ?? 0)
        var parts = [
            """
            <svg class="chart" viewBox="0 0 \(Self.size.width) \(Self.size.height)" role="img" \
            aria-label="\(Pages.escape(summary))">
            """
        ]
        for step in 0...4 {
            let value = top * Int64(step) / 4
            let y = self.y(value, top)
            parts.append(
                "<line class=\"grid\" x1=\"\(Self.plot.left)\" x2=\"\(Self.plot.right)\" y1=\"\(y)\" y2=\"\(y)\"/>")
            parts.append("<text class=\"tick end\" x=\"\(Self.plot.left - 6)\" y=\"\(y + 4)\">\(value)</text>")
        }
        for step in 0...4 {
            let bar = (axis.bars - 1) * step / 4
            let place = step == 0 ? "" : step == 4 ? " end" : " middle"
            parts.append(
                "<text class=\"tick\(place)\" x=\"\(x(bar))\" y=\"\(Self.plot.bottom + 24)\">\(label(bar))</text>")
        }
        for line in series {
            let points = line.values.enumerated().map { "\(x($0.offset)),\(y($0.element, top))" }
            if series.count == 1 {
                let floor = "\(x(axis.bars - 1)),\(Self.plot.bottom) \(x(0)),\(Self.plot.bottom)"
                parts.append(
                    "<polygon class=\"area \(line.style)\" points=\"\(points.joined(separator: " ")) \(floor)\"/>")
            }
            parts.append("<polyline class=\"line \(line.style)\" points=\"\(points.joined(separator: " "))\"/>")
        }
        parts.append("</svg>")
        return parts.joined(separator: "\n")
    }

    /// The chart's numbers as a table that can be opened, the newest first; bars without any are left out.
    var table: String {
        let rows = (0..<axis.bars).reversed().filter { bar in series.contains { $0.values[bar] != 0 } }
        let head = ([words("console_overview", "since")] + series.map(\.name)).map {
            "<th scope=\"col\">\(Pages.escape($0))</th>"
        }
        let lines = rows.map { bar in
            let begin = String(axis.begin(of: bar).rfc3339.prefix(16)).replacing("T", with: " ")
            let cells = series.map { "<td>\($0.values[bar])</td>" }.joined()
            return "<tr><th scope=\"row\">\(begin)</th>\(cells)</tr>"
        }
        let name = Pages.escape(words("console_overview", "as_table_label", ["title": title]))
        return """
            <details><summary>\(Pages.escape(words("console_overview", "as_table")))</summary>
            <div class="scroll" tabindex="0" role="region" aria-label="\(name)"><table class="narrow">
            <thead><tr>\(head.joined())</tr></thead>
            <tbody>\(lines.joined(separator: "\n"))</tbody></table></div></details>
            """
    }

    private var summary: String {
        let facts = series.map { line in
            words(
                "console_overview", "line_label",
                [
                    "name": line.name, "highest": String(line.values.max() ?? 0),
                    "latest": String(line.values.last ?? 0),
                ])
        }
        let span = words(
            "console_overview", "span_label",
            [
                "title": title, "from": String(axis.start.rfc3339.prefix(16)),
                "to": String(axis.end.rfc3339.prefix(16)),
            ])
        return "\(span) \(facts.joined(separator: "; "))"
    }

    private func x(_ bar: Int) -> Int {
        Self.plot.left + (Self.plot.right - Self.plot.left) * bar / max(1, axis.bars - 1)
    }

    private func y(_ value: Int64, _ top: Int64) -> Int {
        Self.plot.bottom - Int(Int64(Self.plot.bottom - Self.plot.top) * value / max(1, top))
    }

    private func label(_ bar: Int) -> String {
        let text = axis.begin(of: bar).rfc3339
        let isLong = axis.end - axis.start > .seconds(2 * 86_400)
        return isLong ? String(text.prefix(10).suffix(5)) : String(text.prefix(16).suffix(5))
    }

    /// The next number above that four lines divide: 4, 8, 20, 40, 80, 200…
    static func ceiling(_ value: Int64) -> Int64 {
        var unit: Int64 = 4
        while true {
            for factor: Int64 in [1, 2, 5] where value <= unit * factor { return unit * factor }
            guard unit <= .max / 100 else { return value }
            unit *= 10
        }
    }
}

/// A table of names with counts, and a bar under each name.
struct BarTable: Sendable {
    struct Row: Sendable {
        let name: String
        /// Where to see all of it.
        let path: String?
        let count: Int64
    }

    let title: String
    let rows: [Row]

    var html: String {
        let top = max(1, rows.map(\.count).max() ?? 0)
        let lines = rows.map { row in
            let name = Pages.escape(row.name)
            let shown = row.path.map { "<a href=\"\(Pages.escape($0))\">\(name)</a>" } ?? name
            return """
                <tr><th scope="row">\(shown)\
                <svg class="chart" viewBox="0 0 640 9" preserveAspectRatio="none" aria-hidden="true">\
                <rect class="bar" width="\(max(2, 640 * row.count / top))" height="9"/></svg></th><td>\(row.count)</td></tr>
                """
        }
        return """
            <table class="bars"><caption class="visually-hidden">\(Pages.escape(title))</caption>
            <tbody>\(lines.joined(separator: "\n"))</tbody></table>
            """
    }
}
