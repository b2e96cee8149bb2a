package drawbridge.site;

import java.util.Collections;
import javax.servlet.http.HttpServletRequest;

/** Whether the filter knows an address that the container took from the request itself; prints one line for each request. */
public final class ClaimedAddresses {
    private ClaimedAddresses() {
    }

    public static void main(String[] arguments) {
        print("a connection's own", 4711, null);
        print("by the port 0", 0, null);
        print("by Tomcat's attribute", 4711, "10.1.0.5");
    }

    private static void print(String name, int port, String attribute) {
        HttpServletRequest request = (HttpServletRequest) java.lang.reflect.Proxy.newProxyInstance(
            ClaimedAddresses.class.getClassLoader(), new Class<?>[] {HttpServletRequest.class}, (self, method, given) -> {
                switch (method.getName()) {
                    case "getHeaderNames":
                        return Collections.emptyEnumeration();
                    case "getRemoteAddr":
                        return "10.1.0.5";
                    case "getRemotePort":
                        return port;
                    case "getAttribute":
                        return given[0].equals("org.apache.tomcat.remoteAddr") ? attribute : null;
                    default:
                        return null;
                }
            });
        System.out.println(name + ": " + SiteFilter.read(request).peerIsClaimed);
    }
}
