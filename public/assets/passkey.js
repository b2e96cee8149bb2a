// Asks the browser for a passkey, and sends its answer off with the page's own form (Web Authentication). Without this
// script, and in a browser that knows no passkeys, the pages show nothing of them.
"use strict";

(() => {
    const place = document.querySelector("[data-passkey]");
    if (!place || !window.PublicKeyCredential || !navigator.credentials) return;
    const data = place.dataset;

    const bytes = (text) =>
        Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
    const text = (buffer) =>
        btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
            .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

    const send = (form, fields) => {
        for (const [name, value] of Object.entries(fields)) {
            const field = document.createElement("input");
            field.type = "hidden";
            field.name = name;
            field.value = value;
            form.append(field);
        }
        // Not by its button, which would ask once more.
        form.submit();
    };

    // With what the sign-in page's own form carries, and nothing that is typed there.
    const answer = () => {
        const form = document.createElement("form");
        form.method = "post";
        form.action = data.action;
        form.hidden = true;
        for (const field of document.querySelectorAll("form.entry input[type=hidden]")) form.append(field.cloneNode());
        document.body.append(form);
        return form;
    };

    // One question at a time: a browser refuses a second one while the first is open.
    let asking = new AbortController();
    const begin = () => {
        asking.abort();
        asking = new AbortController();
        return asking.signal;
    };

    const use = async (mediation) => {
        const { id, response } = await navigator.credentials.get({
            mediation,
            signal: begin(),
            publicKey: {
                challenge: bytes(data.challenge),
                rpId: data.party,
                userVerification: "required",
            },
        });
        send(answer(), {
            challenge: data.sealed,
            credential: id,
            client_data: text(response.clientDataJSON),
            authenticator_data: text(response.authenticatorData),
            signature: text(response.signature),
            user_handle: response.userHandle ? text(response.userHandle) : "",
        });
    };

    const make = async () => {
        const { response } = await navigator.credentials.create({
            signal: begin(),
            publicKey: {
                challenge: bytes(data.challenge),
                rp: { id: data.party, name: data.site },
                user: { id: bytes(data.user), name: data.username, displayName: data.displayName },
                pubKeyCredParams: data.algorithms.split(" ").map((alg) => ({ type: "public-key", alg: Number(alg) })),
                excludeCredentials: data.excluded.split(" ").filter((id) => id)
                    .map((id) => ({ type: "public-key", id: bytes(id) })),
                authenticatorSelection: {
                    residentKey: "required",
                    requireResidentKey: true,
                    userVerification: "required",
                },
                attestation: "none",
            },
        });
        send(place, { client_data: text(response.clientDataJSON), attestation: text(response.attestationObject) });
    };

    // Offered among the names that the browser fills in, where it can do that. Who declines the offer is told nothing.
    const isMade = data.passkey === "make";
    const offer = () => {
        if (isMade || !document.querySelector("input[autocomplete~=webauthn]")) return;
        Promise.resolve(PublicKeyCredential.isConditionalMediationAvailable?.())
            .then((isAvailable) => isAvailable && use("conditional"))
            .catch(() => {});
    };

    // Sentences are in the page. The question that failed took the place of the browser's offer.
    const fail = (error) => {
        if (error.name === "AbortError") return;
        offer();
        for (const line of document.querySelectorAll("[data-passkey-problem]")) {
            line.hidden = (line.dataset.passkeyProblem === "known") !== (error.name === "InvalidStateError");
        }
    };

    const ask = (event) => {
        event.preventDefault();
        // What came of the last answer is not what comes of this one.
        const notice = document.getElementById("notice");
        if (notice) notice.hidden = true;
        for (const line of document.querySelectorAll("[data-passkey-problem]")) line.hidden = true;
        (isMade ? make() : use("optional")).catch(fail);
    };
    if (isMade) place.addEventListener("submit", ask);
    else place.querySelector("button").addEventListener("click", ask);
    place.hidden = false;
    for (const line of document.querySelectorAll("[data-passkey-missing]")) line.hidden = true;
    offer();
})();
