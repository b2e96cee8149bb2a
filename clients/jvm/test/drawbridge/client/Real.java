package drawbridge.client;

import java.io.BufferedReader;
import java.io.InputStreamReader;

/** Does at a real server what it is told: the test opens the addresses that are printed, and types in what came back. */
public final class Real {
    private Real() {
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        System.out.println(new Drawbridge(new Settings(arguments[0])).openUrl("/contacts", arguments[1], null, false).url());
        Settings settings = new Settings(arguments[0]);
        settings.clientId = "demo-app";
        settings.redirectUri = "com.example.demo:/callback";
        settings.sharing = "example";
        settings.dpop = true;
        settings.browser = address -> {
            try {
                System.out.println(address);
                return in.readLine();
            } catch (java.io.IOException gone) {
                throw new DrawbridgeException("cancelled");
            }
        };
        Drawbridge app = new Drawbridge(settings);
        System.out.println(app.signIn(new Drawbridge.Wishes()).get("sub"));
        System.out.println(app.person().get("sub"));
        System.out.println(app.openUrl("/contacts").url());
        in.readLine();
        app.signOut();
        try {
            app.accessToken();
        } catch (DrawbridgeException error) {
            System.out.println(error.code);
        }
        System.out.println(((MemoryStore) settings.store).values().size());
    }
}
