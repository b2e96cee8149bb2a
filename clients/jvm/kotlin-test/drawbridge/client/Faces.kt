package drawbridge.client

/** Does at a real server what a Kotlin app does: prints addresses, which the test opens, and reads what came back. */
object Faces {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (issuer, bearer) = arguments
        println(drawbridge(issuer).open("/contacts", bearer = bearer).url())
        val app = drawbridge(issuer) {
            clientId = "demo-app"
            redirectUri = "com.example.demo:/callback"
            sharing = "example"
            browser = Browser {
                println(it)
                readLine()
            }
        }
        check((app.signInWithoutPerson() as SilentSignIn.Needed).reason == "nothing_shared")
        val person = app.signIn(maxAge = 600)
        check(person.subject in person.toString())
        println(person.subject)
        println(app.open("/contacts").url())
        readLine()
        app.signOut()
        check((app.signInWithoutPerson() as SilentSignIn.Needed).reason == "nothing_shared")
        println("signed out")
    }
}
