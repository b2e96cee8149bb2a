// Who is signed in, as the provider knows them (OpenID Connect Core §5.3).

import { isText } from "./checks.mjs";
import { json } from "./encoding.mjs";
import { DrawbridgeError } from "./errors.mjs";

export class UserInfo {
    #configuration;
    #transport;
    #provider;
    #ownSignIn;
    #renewal;

    constructor({ configuration, transport, provider, ownSignIn, renewal }) {
        this.#configuration = configuration;
        this.#transport = transport;
        this.#provider = provider;
        this.#ownSignIn = ownSignIn;
        this.#renewal = renewal;
    }

    async person() {
        this.#configuration.needClient();
        const address = await this.#provider.endpoint("userinfo_endpoint");
        const person = await this.#renewal.withToken(async (signIn) => {
            const request = { token: signIn.access_token, proves: signIn.bound };
            const answer = await this.#transport.send("GET", address, request);
            if (answer.status !== 200) throw this.#transport.failure(answer, "userinfo");
            const said = json(answer.text);
            if (!isText(said?.sub)) throw new DrawbridgeError("unexpected_answer", "userinfo cannot be read", answer);
            return said;
        });
        // An answer about somebody else must not be used (OpenID Connect Core §5.3.2).
        if ((await this.#ownSignIn.stored())?.subject !== person.sub) throw new DrawbridgeError("id_token.subject");
        return person;
    }
}
