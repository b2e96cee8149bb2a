// Compiled by `tsc --strict`, not run: the types say what the library does, to who has Node's types and who has not.
import {
    ConfigurationError, Memory, Refused, Request, Site, Unavailable, isReturnTarget, send,
    type Added, type Answer, type Demand, type Guarded, type Incoming, type IncomingNotice, type Outgoing, type Reason, type Settings,
    type Store, type User,
} from "../drawbridge-site.mjs";

const settings: Settings = { source: "session", origin: "https://www.example.com", identity: ["name", "groups"] };
const shared: Store = new Memory(1000);
/** As a client of Redis: each answer is a promise. */
const distant: Store = { add: async (): Promise<Added> => "new", has: async () => false, forget: async () => {} };
const site = new Site(settings, { ended: shared, notices: distant, now: () => 7 });

export const greeting = ({ subject, name, groups, auth_time }: User): string =>
    `${name?.toUpperCase() ?? subject} ${groups.join()} ${auth_time === null ? "" : auth_time + 1}`;

export const look = async (incoming: Incoming): Promise<string> => {
    try {
        const { user, reason } = await site.identify(Request.of(incoming));
        if (user) return greeting(user);
        const why: Reason = reason;
        return why === "missing" ? "for everybody" : why;
    } catch (error) {
        if (error instanceof Refused) return error.isFinal ? error.reason : "later";
        if (error instanceof Unavailable || error instanceof ConfigurationError) return error.message;
        throw error;
    }
};

const strong: Demand = { acr: ["aal2"], max_age: 300 };
export const page = async (request: Request, response: Outgoing): Promise<string | undefined> => {
    const { user, answer } = await site.guard(request, strong);
    if (user) return greeting(user);
    const instead: Answer = answer;
    send(response, instead);
    return isReturnTarget(request.target) ? request.values("accept")[0] : undefined;
};

/** As node:http's own: members beyond those that are looked at come through. */
interface Message extends Incoming { httpVersion: string }
interface Reply extends Outgoing { writableEnded: boolean }
export const handler: (incoming: Message, response: Reply) => void = site.guarded(
    (incoming, response) => response.end(incoming.httpVersion + incoming.drawbridgeUser.subject + response.writableEnded),
    strong);
/** As node:stream's own. */
interface Duplex {
    on(event: "error", listener: (error: Error) => void): this;
    on(event: string | symbol, listener: (...values: any[]) => void): this;
    end(chunk: any, sent?: () => void): this;
    destroy(error?: Error): this;
    readonly readableFlowing: boolean | null;
}
export const feed: (incoming: Message, socket: Duplex, head: Uint8Array) => void = site.upgraded(
    (incoming, socket, head) => socket.end(incoming.drawbridgeUser.subject + socket.readableFlowing + head.length), strong);
export const subject = ({ drawbridgeUser }: Guarded): string => drawbridgeUser.subject;

/** As Express's own, whose request is `Express.Request` and more. */
interface ExpressRequest extends Incoming, Express.Request {}
type Handler = (request: ExpressRequest, response: Outgoing, next: (error?: unknown) => void) => unknown;
declare const app: { get(path: string, ...handlers: Handler[]): void };
app.get("/account", site.middleware(), (request, response) => response.end(request.drawbridgeUser?.subject));

export const told: (incoming: IncomingNotice, response: Outgoing) => Promise<void> =
    site.receiver("webhook", async (event) => console(event["type"]));
declare const console: (value: unknown) => void;
void site.webhook(new Uint8Array(), undefined, ({ sid }) => console(sid));
void site.backchannelLogout("logout_token=x");

// @ts-expect-error there is no such source
void new Site({ source: "header", origin: "https://www.example.com" });
// @ts-expect-error the origin is needed
void new Site({ source: "session" });
// @ts-expect-error a name that is spelt wrong
void new Site({ source: "proxy", origin: "https://www.example.com", proxy_secrets: "x" });
// @ts-expect-error nothing else is said of a user
void new Site({ source: "session", origin: "https://www.example.com", identity: ["phone"] });
// @ts-expect-error a page that is not guarded may have no user
app.get("/", (request, response) => response.end(request.drawbridgeUser.subject));
// @ts-expect-error there is no such notice
void site.receiver("hook");
