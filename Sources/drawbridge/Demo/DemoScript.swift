/// What the demo's protected pages do with the browser-side script of the product.
enum DemoScript {
    /// The scripts of a protected page, in this order.
    static let paths = ["/assets/drawbridge.js", "/demo/session.js"]

    /// A page that was rendered for somebody who is signed out by now goes, and the other way round.
    static let session = """
        "use strict";
        (() => {
            const wasSignedIn = document.getElementById("subject") !== null;
            drawbridge.addEventListener("change", (event) => {
                if (event.detail.authenticated !== wasSignedIn) location.reload();
            });
        })();

        """
}
