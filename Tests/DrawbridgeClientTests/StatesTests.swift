import DrawbridgeClient
import Foundation
import Testing

@Suite struct StatesTests {
    private let device = Device()
    private let alice = SignInState.signedIn(subject: "alice")
    private let later = Device.now.addingTimeInterval(290)

    @Test func `the first word is what is so now`() async throws {
        var states = try await device.app().states().makeAsyncIterator()
        #expect(await states.next() == .signedOut)
        try await device.signIn(device.app())
        // Another process of the app: the store holds the truth.
        var others = try await device.app().states().makeAsyncIterator()
        #expect(await others.next() == alice)
    }

    @Test func `a sign-in and a sign-out are heard of by all who follow`() async throws {
        let app = try device.app()
        var readers = [await app.states().makeAsyncIterator(), await app.states().makeAsyncIterator()]
        for index in readers.indices { #expect(await readers[index].next() == .signedOut) }
        try await device.signIn(app)
        for index in readers.indices { #expect(await readers[index].next() == alice) }
        await device.provider.answer("/revoke", ClientAnswer(status: 200))
        try await app.signOut()
        for index in readers.indices { #expect(await readers[index].next() == .signedOut) }
    }

    @Test func `a sign-in that the provider has ended is heard of by each process with its next call`() async throws {
        try await device.signIn(device.app())
        let (app, other) = (try device.app(at: later), try device.app(at: later))
        var states = await app.states().makeAsyncIterator()
        var others = await other.states().makeAsyncIterator()
        #expect(await states.next() == alice)
        #expect(await others.next() == alice)
        await device.provider.answer("/token", .refusal("invalid_grant"))
        await #expect(throws: ClientError.notSignedIn) { try await app.accessToken() }
        #expect(await states.next() == .signedOut)
        await #expect(throws: ClientError.notSignedIn) { try await other.accessToken() }
        #expect(await others.next() == .signedOut)
    }

    @Test func `a renewal is no change`() async throws {
        try await device.signIn(device.app())
        let late = try device.app(at: later)
        var states = await late.states().makeAsyncIterator()
        #expect(await states.next() == alice)
        await device.provider.answer("/token", await device.tokens(access: "at_2", refresh: "rt_2"))
        #expect(try await late.accessToken().expose() == "at_2")
        await device.provider.answer("/revoke", ClientAnswer(status: 200))
        try await late.signOut()
        #expect(await states.next() == .signedOut)
    }

    @Test func `who ends following is told nothing more, and others are`() async throws {
        let app = try device.app()
        let first = await app.states()
        let following = Task { for await _ in first {} }
        following.cancel()
        await following.value
        var second = await app.states().makeAsyncIterator()
        #expect(await second.next() == .signedOut)
        try await device.signIn(app)
        #expect(await second.next() == alice)
    }
}
