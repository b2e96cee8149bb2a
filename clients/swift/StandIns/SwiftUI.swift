// The signatures of Apple's framework that the library uses, so that its adapter is type-checked where there is none.
// Nothing here runs. Taken from Apple's documentation; whether they are right only a Mac can say.
public import Foundation

/// A piece of what is shown.
@MainActor @preconcurrency public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency var body: Body { get }
}

extension Never: View {
    /// As Apple declares it.
    public var body: Never { fatalError("a stand-in") }
}

/// Builds views of views.
@resultBuilder public struct ViewBuilder {
    /// As Apple declares it.
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
}

/// Makes another view of a view.
@MainActor @preconcurrency public protocol ViewModifier {
    associatedtype Body: View
    @ViewBuilder @MainActor @preconcurrency func body(content: Content) -> Body
    typealias Content = _ViewModifier_Content<Self>
}

/// What a modifier is given.
@MainActor @preconcurrency public struct _ViewModifier_Content<Modifier: ViewModifier>: View {
    /// As Apple declares it.
    public var body: Never { fatalError("a stand-in") }
}

/// A view as a modifier has made it.
public struct ModifiedContent<Content, Modifier> {}

extension ModifiedContent: View where Content: View, Modifier: ViewModifier {
    /// As Apple declares it.
    public var body: Never { fatalError("a stand-in") }
}

extension View {
    /// As Apple declares it.
    public func modifier<T: ViewModifier>(_ modifier: T) -> ModifiedContent<Self, T> { fatalError("a stand-in") }

    /// As Apple declares it.
    public func task<T: Equatable>(
        id value: T, priority: TaskPriority = .userInitiated,
        @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
    ) -> some View { modifier(_Nothing()) }
}

/// A modifier that is none.
public struct _Nothing: ViewModifier {
    /// As Apple declares it.
    public func body(content: Content) -> some View { content }
}

/// Words.
@MainActor @preconcurrency public struct Text: View {
    /// As Apple declares it.
    public var body: Never { fatalError("a stand-in") }
}

/// Does something when it is pressed.
@MainActor @preconcurrency public struct Button<Label: View>: View {
    /// As Apple declares it.
    public var body: Never { fatalError("a stand-in") }
}

extension Button where Label == Text {
    /// As Apple declares it.
    public init<S: StringProtocol>(_ title: S, action: @escaping @MainActor () -> Void) {}
}

/// A value of a view.
@propertyWrapper public struct State<Value> {
    /// As Apple declares it.
    public init(wrappedValue value: Value) {}
    /// As Apple declares it.
    public var wrappedValue: Value {
        get { fatalError("a stand-in") }
        nonmutating set { fatalError("a stand-in") }
    }
    /// As Apple declares it.
    public var projectedValue: Binding<Value> { fatalError("a stand-in") }
}

extension State where Value: ExpressibleByNilLiteral {
    /// As Apple declares it.
    public init() {}
}

/// Somebody else's value.
@propertyWrapper public struct Binding<Value> {
    /// As Apple declares it.
    public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) {}
    /// As Apple declares it.
    public var wrappedValue: Value {
        get { fatalError("a stand-in") }
        nonmutating set { fatalError("a stand-in") }
    }
}

/// A value of the surroundings.
@propertyWrapper public struct Environment<Value> {
    /// As Apple declares it.
    public init(_ path: KeyPath<EnvironmentValues, Value>) {}
    /// As Apple declares it.
    public var wrappedValue: Value { fatalError("a stand-in") }
}

/// The surroundings.
public struct EnvironmentValues {
    /// As Apple declares it.
    public var openURL: OpenURLAction { fatalError("a stand-in") }
}

/// Opens addresses.
@MainActor @preconcurrency public struct OpenURLAction {
    /// As Apple declares it.
    public func callAsFunction(_ url: URL) {}
}
