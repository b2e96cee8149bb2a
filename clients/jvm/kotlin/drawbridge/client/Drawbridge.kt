/** Kotlin's face of the library: named arguments, nothing else. The work is done by the Java below. */
@file:JvmName("DrawbridgeKt")

package drawbridge.client

/** `drawbridge("https://id.example.com") { clientId = "phone-app" }` */
fun drawbridge(issuer: String, set: Settings.() -> Unit = {}): Drawbridge = Drawbridge(Settings(issuer).apply(set))

/**
 * A link that opens a page of the website, signed in.
 *
 * @param bearer any backend's token that the provider trusts; null: this app's own sign-in counts
 * @param inHeader whether the token comes in the link's headers, and not in its address
 */
fun Drawbridge.open(path: String?, bearer: String? = null, website: String? = null, inHeader: Boolean = false): LoginLink =
    openUrl(path, bearer, website, inHeader)

/** Who is signed in. `maxAge` is in seconds. */
fun Drawbridge.signIn(
    loginHint: String? = null,
    acrValues: List<String>? = null,
    maxAge: Long? = null,
    prompt: String? = null,
    languages: List<String>? = null
): Person = Person(
    signIn(Drawbridge.Wishes().also {
        it.loginHint = loginHint
        it.acrValues = acrValues
        it.maxAge = maxAge
        it.prompt = prompt
        it.languages = languages
    })
)

/** What is known of somebody: the claims of an ID token, or of userinfo. */
class Person(val claims: Map<String, Any?>) {
    val subject: String get() = claims.getValue("sub") as String
    val name: String? get() = claims["name"] as? String

    override fun toString(): String = "<person $subject>"
}

/** What came of a try without a person. */
sealed class SilentSignIn {
    class SignedIn(val person: Person) : SilentSignIn()

    /** @param reason nothing_shared, parts_do_not_fit, refused, not_believed or failed */
    class Needed(val reason: String, val error: DrawbridgeException?) : SilentSignIn()
}

fun Drawbridge.signInWithoutPerson(): SilentSignIn = signInSilently().let {
    if (it.claims != null) SilentSignIn.SignedIn(Person(it.claims)) else SilentSignIn.Needed(it.reason, it.error)
}
