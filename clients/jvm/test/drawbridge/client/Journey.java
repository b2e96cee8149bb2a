package drawbridge.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;

/**
 * An app that does what it is told on standard input, for tests that look at it from outside: what it opens, what it writes,
 * and what is left in its memory.
 */
public final class Journey {
    private static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));

    private Journey() {
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = new Settings(arguments[0]);
        settings.clientId = "demo-app";
        settings.redirectUri = "com.example.demo:/callback";
        settings.sharing = "example";
        settings.logger = System.err::println;
        settings.browser = address -> {
            System.out.println(address);
            try {
                return IN.readLine();
            } catch (IOException gone) {
                throw new DrawbridgeException("cancelled");
            }
        };
        Drawbridge app = new Drawbridge(settings);
        System.err.println(app);
        for (String line = IN.readLine(); line != null; line = IN.readLine()) {
            act(app, line.split(" "));
            System.out.println("done");
        }
    }

    private static void act(Drawbridge app, String[] words) throws DrawbridgeException {
        switch (words[0]) {
            case "sign-in":
                System.err.println(app.signIn(new Drawbridge.Wishes()));
                break;
            case "own":
            case "bearer":
                LoginLink link = app.openUrl(words[1], words.length > 2 ? words[2] : null, null, false);
                System.err.println(link);
                System.out.println(link.url());
                break;
            case "refused":
                try {
                    app.openUrl(words[1]);
                } catch (DrawbridgeException error) {
                    error.printStackTrace();
                }
                break;
            case "sign-out":
                app.signOut();
                break;
            default:
                // What pipes have buffered of the words before is written over.
                System.out.println(words[1]);
        }
    }
}
