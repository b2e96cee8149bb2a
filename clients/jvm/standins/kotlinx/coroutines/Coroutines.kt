package kotlinx.coroutines

import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext

/** What README's code for Android uses of it. Nothing here runs. */
object Dispatchers {
    val IO: CoroutineContext = EmptyCoroutineContext
}

/** As the library declares it, without the scope. */
@Suppress("UNUSED_PARAMETER", "RedundantSuspendModifier")
suspend fun <T> withContext(context: CoroutineContext, block: suspend () -> T): T = block()
