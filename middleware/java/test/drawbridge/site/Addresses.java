package drawbridge.site;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Collections;

/** A host of two addresses, of which the first refuses; its test gives {@code localhost} 127.0.0.2 and 127.0.0.1, in this order. */
public final class Addresses {
    private Addresses() {
    }

    public static void main(String[] arguments) throws Exception {
        String found = "";
        for (InetAddress one : InetAddress.getAllByName("localhost")) {
            found += one.getHostAddress() + " ";
        }
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
            Thread thread = new Thread(() -> answerOnce(server));
            thread.setDaemon(true);
            thread.start();
            String address = "http://localhost:" + server.getLocalPort();
            System.out.println(found + Http.get(address, "/session", Collections.emptyMap(), 20_000).body);
        }
    }

    private static void answerOnce(ServerSocket server) {
        try (Socket client = server.accept()) {
            client.getInputStream().read(new byte[8192]);
            client.getOutputStream().write(
                "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nanswered".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException gone) {
            // The other side shows it.
        }
    }
}
