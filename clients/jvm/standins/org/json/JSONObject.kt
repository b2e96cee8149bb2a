package org.json

/** What README's code for Android uses of it. Nothing here runs. */
@Suppress("UNUSED_PARAMETER")
class JSONObject {
    constructor(members: Map<*, *>)

    constructor(text: String)

    fun getString(name: String): String = throw UnsupportedOperationException(name)
}
