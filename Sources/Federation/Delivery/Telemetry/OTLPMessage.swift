import Bridge
import OAuth2
import Tracing

/// Spans as OTLP writes them in JSON (OpenTelemetry Protocol 1, `ExportTraceServiceRequest`).
enum OTLPMessage {
    static func encode(_ spans: [FinishedSpan], from source: SpanSource) -> [UInt8] {
        var resource = JSONObjectWriter()
        resource.add(
            "attributes",
            objects: [
                attribute("service.name", .string("drawbridge")),
                attribute("service.version", .string(source.version)),
                attribute("service.instance.id", .string(source.node)),
            ])
        var scope = JSONObjectWriter()
        scope.add("name", "drawbridge")
        var ofScope = JSONObjectWriter()
        ofScope.add("scope", json: scope)
        ofScope.add("spans", objects: spans.map(object))
        var ofResource = JSONObjectWriter()
        ofResource.add("resource", json: resource)
        ofResource.add("scopeSpans", objects: [ofScope])
        var message = JSONObjectWriter(capacity: 512 * (1 + spans.count))
        message.add("resourceSpans", objects: [ofResource])
        return message.finish()
    }

    /// How many of the spans a receiver did not take, by its answer's `partialSuccess`.
    static func rejected(in answer: [UInt8]) -> Int {
        let partial = JSONValue.parse(bytes: answer, depth: 4)?.object?["partialSuccess"]?.object
        // A number of 64 bits is written as a text, and read in either form.
        let count = partial?["rejectedSpans"]
        return max(0, count?.string.flatMap { Int($0) } ?? count?.integer.map { Int($0) } ?? 0)
    }

    private static func object(_ span: FinishedSpan) -> JSONObjectWriter {
        var object = JSONObjectWriter(capacity: 512)
        object.add("traceId", span.trace.traceID)
        object.add("spanId", span.trace.spanID)
        object.add("parentSpanId", span.parentID)
        object.add("name", span.name)
        object.add("kind", number(of: span.kind))
        object.add("startTimeUnixNano", String(span.startedAt))
        object.add("endTimeUnixNano", String(span.endedAt))
        var attributes: [(String, SpanAttribute)] = []
        span.attributes.forEach { attributes.append(($0, $1)) }
        object.add("attributes", objects: attributes.sorted { $0.0 < $1.0 }.map(attribute))
        if !span.links.isEmpty {
            object.add(
                "links",
                objects: span.links.map { trace in
                    var link = JSONObjectWriter()
                    link.add("traceId", trace.traceID)
                    link.add("spanId", trace.spanID)
                    return link
                })
        }
        var status = JSONObjectWriter()
        if span.hasFailed { status.add("code", 2) }
        object.add("status", json: status)
        return object
    }

    private static func number(of kind: SpanKind) -> Int64 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func attribute(_ name: String, _ value: SpanAttribute) -> JSONObjectWriter {
        var content = JSONObjectWriter()
        switch value {
        case .int64(let number): content.add("intValue", String(number))
        case .int32(let number): content.add("intValue", String(number))
        case .bool(let flag): content.add("boolValue", flag)
        case .string(let text): content.add("stringValue", text)
        // A span of ours holds no other kind.
        default: content.add("stringValue", "")
        }
        var object = JSONObjectWriter()
        object.add("key", name)
        object.add("value", json: content)
        return object
    }
}

/// Which process sends spans.
package struct SpanSource: Sendable {
    package let node: String
    package let version: String

    package init(node: String, version: String) {
        self.node = node
        self.version = version
    }
}
