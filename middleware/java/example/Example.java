import drawbridge.json.Json;
import drawbridge.site.Answer;
import drawbridge.site.Settings;
import drawbridge.site.Site;
import drawbridge.site.SiteFilter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.servlet.DispatcherType;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** A website of servlets, on Jetty: {@code java Example PORT}, with its settings as JSON in SITE. */
public final class Example {
    public static void main(String[] arguments) throws Exception {
        Site site = new Site(settings(Json.object(System.getenv("SITE"))));
        Server server = new Server(new java.net.InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
        ServletContextHandler context = new ServletContextHandler();
        context.addServlet(new ServletHolder(new Page()), "/*");
        context.addServlet(new ServletHolder(new Hook(site)), "/hooks/*");
        EnumSet<DispatcherType> all = EnumSet.allOf(DispatcherType.class);
        context.addFilter(new FilterHolder(new SiteFilter(site, Collections.emptyList(), null)), "/contacts", all);
        context.addFilter(new FilterHolder(new SiteFilter(site, Collections.singletonList("aal9"), null)), "/strong/*", all);
        server.setHandler(context);
        server.start();
        server.join();
    }

    @SuppressWarnings("unchecked")
    private static Settings settings(Map<String, Object> given) {
        Settings settings = new Settings();
        settings.source = Settings.Source.valueOf(((String) given.get("source")).toUpperCase(Locale.ROOT));
        settings.origin = (String) given.get("origin");
        settings.drawbridge = (String) given.get("drawbridge");
        settings.issuer = (String) given.get("issuer");
        settings.clientId = (String) given.get("client_id");
        settings.cookie = (String) given.getOrDefault("cookie", settings.cookie);
        settings.proxySecret = (String) given.get("proxy_secret");
        settings.webhookSecrets = (List<String>) given.getOrDefault("webhook_secrets", Collections.emptyList());
        return settings;
    }

    private static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String user = request.getRemoteUser();
            response.setContentType("text/plain; charset=utf-8");
            response.getWriter().write(user == null ? "for everybody" : "signed in as " + user);
        }
    }

    private static final class Hook extends HttpServlet {
        private static final long serialVersionUID = 1;
        private final transient Site site;

        Hook(Site site) {
            this.site = site;
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            InputStream stream = request.getInputStream();
            byte[] buffer = new byte[8192];
            for (int count; body.size() <= 65536 && (count = stream.read(buffer)) >= 0;) {
                body.write(buffer, 0, count);
            }
            try {
                Answer answer = request.getPathInfo().equals("/logout")
                    ? site.backchannelLogout(body.toByteArray(), claims -> { })
                    : site.webhook(body.toByteArray(), request.getHeader("Drawbridge-Webhook-Signature"), event -> { });
                SiteFilter.send(answer, response);
            } catch (Exception failed) {
                throw new ServletException(failed);
            }
        }
    }
}
