package drawbridge.site;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import javax.servlet.DispatcherType;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletRequestWrapper;
import javax.servlet.http.HttpServletResponse;

/**
 * In front of servlets: every request that it is mapped to takes a sign-in. src/ has it for Servlet 3.1 to 4.0, jakarta/ for
 * 5.0 and later.
 */
public final class SiteFilter implements Filter {
    /** The request's attribute with the {@link User}; {@code getRemoteUser} is the subject. */
    public static final String USER = "drawbridge.user";

    private final Site site;
    private final List<String> acr;
    private final Long maxAge;
    /** The request's attribute with the user whom this very filter let through; others demand something else. */
    private final String passed = USER + "." + UUID.randomUUID();

    public SiteFilter(Site site, List<String> acr, Long maxAge) {
        this.site = site;
        this.acr = acr;
        this.maxAge = maxAge;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain) throws IOException, ServletException {
        User before = request.getDispatcherType() == DispatcherType.REQUEST ? null : (User) request.getAttribute(passed);
        Site.Decision decision = before == null ? site.guard(read((HttpServletRequest) request), acr, maxAge)
            : new Site.Decision(before, null);
        if (decision.answer != null) {
            send(decision.answer, (HttpServletResponse) response);
            return;
        }
        User user = decision.user;
        request.setAttribute(passed, user);
        request.setAttribute(USER, user);
        chain.doFilter(new HttpServletRequestWrapper((HttpServletRequest) request) {
            @Override
            public String getRemoteUser() {
                return user.subject;
            }
        }, response);
    }

    static Request read(HttpServletRequest request) {
        List<String[]> headers = new ArrayList<>();
        for (String name : Collections.list(request.getHeaderNames())) {
            for (String value : Collections.list(request.getHeaders(name))) {
                headers.add(new String[] {name, value});
            }
        }
        String query = request.getQueryString();
        return new Request(
            request.getMethod(), request.getRequestURI() + (query == null ? "" : "?" + query), headers, request.getRemoteAddr(),
            isClaimed(request));
    }

    /**
     * Whether the container took the peer's address from X-Forwarded-For: no connection has the port 0, which Undertow
     * writes, and Tomcat's RemoteIpValve and RemoteIpFilter leave the attribute. Others leave no trace.
     */
    private static boolean isClaimed(HttpServletRequest request) {
        return request.getRemotePort() == 0 || request.getAttribute("org.apache.tomcat.remoteAddr") != null;
    }

    public static void send(Answer answer, HttpServletResponse response) throws IOException {
        response.setStatus(answer.status);
        for (String[] pair : answer.headers) {
            response.addHeader(pair[0], pair[1]);
        }
        response.getWriter().write(answer.body);
    }

    @Override
    public void init(FilterConfig config) {
        // What it needs, its maker gave it.
    }

    @Override
    public void destroy() {
        // It keeps nothing open.
    }
}
