package drawbridge.site;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import javax.servlet.DispatcherType;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.eclipse.jetty.server.LocalConnector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.servlet.FilterHolder;
import org.eclipse.jetty.servlet.ServletContextHandler;
import org.eclipse.jetty.servlet.ServletHolder;

/** How often the filter asks for one request, which servlets may hand on; prints the answers, each with what was asked. */
public final class Dispatches {
    private static final List<String> ASKED = new ArrayList<>();

    private Dispatches() {
    }

    public static void main(String[] arguments) throws Exception {
        Settings settings = new Settings();
        settings.source = Settings.Source.SESSION;
        settings.origin = "https://www.example.com";
        Site site = new Site(settings, () -> 0, (path, fields) -> {
            ASKED.add(path.split("\\?")[0]);
            return path.equals("/session")
                ? new Drawbridge.Reply(200, Collections.emptyList(), "{\"authenticated\":true,\"sub\":\"alice\"}")
                : new Drawbridge.Reply(401, Collections.emptyList(), "");
        }, new Memory(10), new Memory(10));
        ServletContextHandler context = new ServletContextHandler();
        ServletHolder page = new ServletHolder(new Page());
        page.setAsyncSupported(true);
        context.addServlet(page, "/*");
        EnumSet<DispatcherType> all = EnumSet.allOf(DispatcherType.class);
        for (String[] guarded : new String[][] {{"/*"}, {"/strong", "aal9"}}) {
            List<String> acr = guarded.length == 1 ? Collections.emptyList() : Collections.singletonList(guarded[1]);
            FilterHolder filter = new FilterHolder(new SiteFilter(site, acr, null));
            filter.setAsyncSupported(true);
            context.addFilter(filter, guarded[0], all);
        }
        Server server = new Server();
        LocalConnector connector = new LocalConnector(server);
        server.addConnector(connector);
        server.setHandler(context);
        server.start();
        for (String path : new String[] {"/include", "/forward", "/async", "/forward-to-strong", "/leaf"}) {
            ASKED.clear();
            String answer = connector.getResponse("GET " + path + " HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\n"
                + "Cookie: __Host-drawbridge_session=opaque\r\n\r\n");
            System.out.println(path + ": " + answer.substring(9, 12) + " " + answer.replaceFirst("(?s).*?\r\n\r\n", "") + " " + ASKED);
        }
        server.stop();
    }

    private static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            // Of an include the path stays that of the page.
            boolean isIncluded = request.getDispatcherType() == DispatcherType.INCLUDE;
            switch (isIncluded ? "/leaf" : request.getPathInfo()) {
                case "/include":
                    request.getRequestDispatcher("/leaf").include(request, response);
                    request.getRequestDispatcher("/leaf").include(request, response);
                    break;
                case "/forward":
                    request.getRequestDispatcher("/leaf").forward(request, response);
                    break;
                case "/forward-to-strong":
                    request.getRequestDispatcher("/strong").forward(request, response);
                    break;
                case "/async":
                    // With the request as it came, not as the filter passed it on.
                    request.startAsync().dispatch("/leaf");
                    break;
                default:
                    response.getWriter().print(request.getRemoteUser() + ".");
            }
        }
    }
}
