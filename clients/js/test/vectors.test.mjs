// Plays every case of clients/vectors that concerns this library; the scripted server says what is wrong.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, describe, test } from "node:test";
import { inspect } from "node:util";
import { Drawbridge, DrawbridgeError, memoryStore } from "../drawbridge.mjs";
import { crypto } from "../node.mjs";
import { startVectors } from "./server.mjs";

const server = await startVectors();
const { cases } = await (await fetch(`${server.url}/cases`)).json();
const skips = JSON.parse(readFileSync(new URL("../skips.json", import.meta.url)));

after(() => server.stop());

/** The device of one run: what is kept, logged and shown on it. */
class Device {
    constructor(run) {
        this.run = run;
        this.elapsed = 0;
        this.log = [];
        this.waits = [];
        this.view = [];
        this.cleared = [];
        this.kept = new Map();
        const store = memoryStore();
        this.store = {
            get: store.get, lock: store.lock,
            set: (name, value) => (this.kept.set(name, value), store.set(name, value)),
            remove: (name) => (this.kept.delete(name), store.remove(name)),
        };
        this.apps = new Map();
    }

    app(name) {
        if (!this.apps.has(name)) this.apps.set(name, this.make(this.run.apps[name]));
        return this.apps.get(name);
    }

    make(settings) {
        return new Drawbridge({
            issuer: settings.issuer, clientId: settings.client_id, redirectUri: settings.redirect_uri,
            sharing: settings.shares ?? undefined, dpop: settings.dpop, store: this.store, crypto,
            timeout: this.run.timeout_ms, now: () => 1000 * (this.run.now + settings.clock_off + this.elapsed),
            logger: (level, line) => this.log.push(`${level} ${line}`),
            sleep: async (milliseconds) => {
                this.waits.push(milliseconds / 1000);
                this.elapsed += milliseconds / 1000;
            },
            browser: { open: (address) => this.browse(address) },
            webView: {
                setCookie: (cookie) => void this.view.push(`set ${cookie.name}`),
                load: (url) => void this.view.push(`load ${url}`),
                removeCookie: (place) => void this.cleared.push(place.name),
            },
        });
    }

    /** The person's browser: goes where it is sent, once. */
    async browse(address) {
        const answer = await fetch(address, { redirect: "manual" });
        if (answer.status === 204) throw new DrawbridgeError("cancelled");
        if (answer.status === 408) throw new DrawbridgeError("timed_out");
        return answer.headers.get("location") ?? "";
    }

    async do(step) {
        this.elapsed += step.after;
        if (step.together) return Promise.all(step.together.map((one) => this.report(one)));
        return this.report(step);
    }

    async report(step) {
        try {
            const [outcome, printed] = await this.act(this.app(step.app), step);
            this.log.push(inspect(printed, { depth: 9, showHidden: true }), String(printed), JSON.stringify(printed));
            return outcome;
        } catch (error) {
            this.log.push(inspect(error, { depth: 9, showHidden: true }), String(error), JSON.stringify(error));
            return { ...failure(error), cleared: this.cleared.sort() };
        }
    }

    async act(app, step) {
        const now = 1000 * (this.run.now + (this.run.apps[step.app].clock_off ?? 0) + this.elapsed);
        switch (step.do) {
        case "sign_in": {
            const claims = await app.signIn({
                loginHint: step.login_hint, acrValues: step.acr_values, maxAge: step.max_age, prompt: step.prompt,
            });
            return [{ outcome: "signed_in", subject: claims.sub }, claims];
        }
        case "sign_in_silently": {
            const result = await app.signInSilently();
            if (result.signedIn) return [{ outcome: "signed_in", subject: result.claims.sub }, result];
            const problem = result.error ? failure(result.error) : {};
            return [{ outcome: "needs_sign_in", reason: result.reason, ...problem }, result];
        }
        case "open_url":
        case "open_url_with_header": {
            const carrier = step.do === "open_url" ? "query" : "header";
            const link = await app.openURL(step.path, { website: step.website, bearer: step.bearer, carrier });
            const expires_in = (link.expiresAt - now) / 1000;
            return [{ outcome: "link", url: link.url, headers: link.headers, code: link.code, expires_in }, link];
        }
        case "access_token": return [{ outcome: "token", token: await app.accessToken() }, app];
        case "person": {
            const person = await app.person();
            return [{ outcome: "person", subject: person.sub, name: person.name }, person];
        }
        case "cookies": {
            const cookies = await app.cookies(step.url, step.web_view);
            const list = cookies.map((cookie) => ({
                name: cookie.name, value: cookie.value, path: cookie.path, http_only: cookie.httpOnly,
                same_site: cookie.sameSite, domain: cookie.domain,
            }));
            return [{ outcome: "cookies", cookies: list.sort((a, b) => (a.name < b.name ? -1 : 1)) }, cookies];
        }
        case "open_web_view": {
            this.view.length = 0;
            await app.openWebView(step.url, step.web_view);
            const isSet = (line) => line.startsWith("set ");
            const order = this.view.slice(0, this.view.findIndex((line) => !isSet(line))).sort();
            return [{ outcome: "opened", order: [...order, ...this.view.slice(order.length)] }, app];
        }
        case "device_sign_in": {
            let shown;
            this.waits.length = 0;
            const claims = await app.signInByDevice((code) => void (shown = code));
            return [
                { outcome: "signed_in", subject: claims.sub, user_code: shown.userCode, waits: this.waits }, claims,
            ];
        }
        case "sign_out": {
            await app.signOut({ this_app: "thisApp" }[step.extent]);
            return [{ outcome: "signed_out", cleared: this.cleared.sort() }, app];
        }
        default: throw new Error(`unknown step ${step.do}`);
        }
    }
}

const failure = (error) => {
    if (!(error instanceof DrawbridgeError)) return { error: "untyped", sentence: `${error.name} ${error.message}` };
    return {
        error: error.code, oauth: error.oauth, seconds: error.seconds, request_id: error.requestId, page: error.page,
        acr_values: error.acrValues, max_age: error.maxAge, sentence: error.message,
    };
};

const play = async (id) => {
    const run = await (await fetch(`${server.url}/case/${id}?library=js`, { method: "POST" })).json();
    const device = new Device(run);
    const outcomes = [];
    for (const step of run.steps) outcomes.push(await device.do(step));
    const report = { outcomes, log: device.log.join("\n"), store: [...device.kept.values()] };
    const answer = await fetch(`${server.url}/run/${run.run}/result`, {
        method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(report),
    });
    return (await answer.json()).problems;
};

describe("vectors", { concurrency: 4 }, () => {
    for (const { id, needs, proves } of cases) {
        if (skips.cases[id] || needs.some((need) => skips.needs[need])) continue;
        test(`${id}: ${proves}`, async () => assert.deepEqual(await play(id), []));
    }
});
