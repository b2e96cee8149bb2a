package drawbridge.client;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One request of HTTP/1.1 on a connection of its own: no redirects, no cookies, no proxy, bounded in time and size.
 * {@code HttpURLConnection} sends a POST again when the connection breaks, which would use a refresh token up twice, and
 * takes cookies, caches and passwords from what the rest of the process has set.
 */
final class Http {
    /** More than any answer of a provider has, in bytes. */
    private static final int LARGEST = 1 << 20;
    /** Milliseconds for an address that is not the last one: two packets may be lost on the way. */
    private static final int LONGEST_TRY = 4_000;

    final int status;
    final Map<String, String> headers;
    final String text;

    private Http(int status, Map<String, String> headers, String text) {
        this.status = status;
        this.headers = headers;
        this.text = text;
    }

    /** To find the request in the provider's log: every answer has one (contract §11). */
    String requestId() {
        return requestId(headers);
    }

    private static String requestId(Map<String, String> headers) {
        String id = headers.get("x-request-id");
        return isRequestId(id) ? id : null;
    }

    /** One that a line of a log can hold, for people to pass on. */
    static boolean isRequestId(Object value) {
        return value instanceof String && ((String) value).matches("[!-~]{1,128}");
    }

    /**
     * Throws unreachable unless a connection stands within the milliseconds of {@code connecting}, and a whole answer comes
     * within those of {@code timeout}: both from the beginning where they are the same, else the second from when the
     * connection stands, for nothing is used up by the way there.
     */
    static Http send(String method, String address, Map<String, String> headers, byte[] body, int timeout, int connecting)
        throws DrawbridgeException {
        boolean[] late = {false};
        Timer timer = new Timer(true);
        try (Way way = new Way()) {
            TimerTask end = end(way, late);
            timer.schedule(end, connecting);
            URI uri = URI.create(address);
            boolean isTLS = uri.getScheme().equals("https");
            int port = uri.getPort() >= 0 ? uri.getPort() : isTLS ? 443 : 80;
            String host = uri.getHost();
            if (host == null) {
                // Java knows no host where the last label begins with a digit or ends with a hyphen.
                throw new IOException("no host");
            }
            Socket plain = way.to(host.replaceAll("[\\[\\]]", ""), port, connecting);
            plain.setSoTimeout(connecting);
            Socket socket = isTLS ? secured(plain, host, port) : plain;
            if (timeout != connecting) {
                end.cancel();
                timer.schedule(end(way, late), timeout);
                plain.setSoTimeout(timeout);
            }
            String path = (uri.getRawPath() == null || uri.getRawPath().isEmpty() ? "/" : uri.getRawPath())
                + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
            StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\nHost: " + uri.getRawAuthority()
                + "\r\nConnection: close\r\n");
            for (Map.Entry<String, String> header : headers.entrySet()) {
                if (!header.getValue().matches("[ -~]*")) {
                    throw new IOException("not a header");
                }
                head.append(header.getKey()).append(": ").append(header.getValue()).append("\r\n");
            }
            if (body != null) {
                head.append("Content-Length: ").append(body.length).append("\r\n");
            }
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            request.write(head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
            if (body != null) {
                request.write(body);
            }
            socket.getOutputStream().write(request.toByteArray());
            socket.getOutputStream().flush();
            return read(new BufferedInputStream(socket.getInputStream()));
        } catch (IOException | IllegalArgumentException broken) {
            throw new DrawbridgeException("unreachable", late[0] ? "it takes too long" : obstacle(broken));
        } finally {
            timer.cancel();
        }
    }

    /** Why no whole answer came, in words for whoever runs the app; asking again mends no certificate. */
    private static String obstacle(Exception broken) {
        for (Throwable cause = broken; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateException || cause instanceof SSLPeerUnverifiedException) {
                return "its certificate is not trusted";
            }
        }
        // What breaks off within TLS is an SSLException, too; Java and Android tell them apart by their words alone.
        String words = String.valueOf(broken.getMessage());
        if (broken instanceof SSLException && (words.contains("SSL message") || words.contains("TLS packet"))) {
            return "it speaks no TLS";
        }
        return "no connection, or it broke";
    }

    private static TimerTask end(Way way, boolean[] late) {
        return new TimerTask() {
            @Override
            public void run() {
                // A timeout of the socket begins anew with every byte.
                late[0] = true;
                way.close();
            }
        };
    }

    /** The connection, or the try for one that is under way. */
    private static final class Way implements Closeable {
        private Socket socket = new Socket();
        private boolean isClosed;

        /** To the first of the host's addresses that can be reached; one of two is often out of a network's reach. */
        Socket to(String host, int port, int milliseconds) throws IOException {
            long end = System.nanoTime() + milliseconds * 1_000_000L;
            InetAddress[] all = InetAddress.getAllByName(host);
            for (int at = 0;; at++) {
                int others = all.length - 1 - at;
                long left = (end - System.nanoTime()) / 1_000_000;
                long patience = others == 0 ? left : Math.min(left / (others + 1), LONGEST_TRY);
                Socket own = next();
                try {
                    own.connect(new InetSocketAddress(all[at], port), (int) Math.max(1, patience));
                    return own;
                } catch (IOException none) {
                    if (others == 0) {
                        throw none;
                    }
                }
            }
        }

        private synchronized Socket next() throws IOException {
            if (isClosed) {
                throw new IOException("the time is over");
            }
            socket.close();
            socket = new Socket();
            return socket;
        }

        @Override
        public synchronized void close() {
            isClosed = true;
            try {
                socket.close();
            } catch (IOException gone) {
                // It is closed.
            }
        }
    }

    private static Socket secured(Socket plain, String host, int port) throws IOException {
        SSLSocket socket = (SSLSocket) ((SSLSocketFactory) SSLSocketFactory.getDefault()).createSocket(plain, host, port, true);
        // Java looks at the certificate's name for HTTPS alone, and only when it is told.
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static Http read(InputStream in) throws IOException, DrawbridgeException {
        int status;
        Map<String, String> headers;
        do {
            String line = line(in);
            if (!line.matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
                throw new IOException("not HTTP");
            }
            status = Integer.parseInt(line.substring(9, 12));
            headers = new LinkedHashMap<>();
            for (line = line(in); !line.isEmpty(); line = line(in)) {
                int colon = line.indexOf(':');
                if (colon <= 0 || headers.size() > 200) {
                    throw new IOException("not a header");
                }
                headers.putIfAbsent(line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).trim());
            }
        } while (status < 200);
        byte[] body = status == 204 || status == 304 ? new byte[0] : body(in, headers);
        return new Http(status, headers, new String(body, StandardCharsets.UTF_8));
    }

    private static byte[] body(InputStream in, Map<String, String> headers) throws IOException, DrawbridgeException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        String length = headers.get("content-length");
        if (headers.containsKey("transfer-encoding")) {
            if (!headers.get("transfer-encoding").equalsIgnoreCase("chunked")) {
                throw new IOException("an unknown transfer encoding");
            }
            for (int size = chunk(in); size > 0; size = chunk(in)) {
                take(in, size, body, headers);
                if (!line(in).isEmpty()) {
                    throw new IOException("not a chunk");
                }
            }
            for (String line = line(in); !line.isEmpty();) {
                line = line(in);
            }
        } else if (length != null) {
            if (!length.matches("[0-9]{1,12}")) {
                throw new IOException("not a length");
            }
            if (Long.parseLong(length) > LARGEST) {
                throw tooLong(headers);
            }
            take(in, Integer.parseInt(length), body, headers);
        } else {
            for (int next = in.read(); next >= 0; next = in.read()) {
                body.write(next);
                if (body.size() > LARGEST) {
                    throw tooLong(headers);
                }
            }
        }
        return body.toByteArray();
    }

    private static int chunk(InputStream in) throws IOException {
        String size = line(in).split(";")[0].trim();
        if (!size.matches("[0-9A-Fa-f]{1,7}")) {
            throw new IOException("not a chunk");
        }
        return Integer.parseInt(size, 16);
    }

    private static void take(InputStream in, int count, ByteArrayOutputStream body, Map<String, String> headers)
        throws IOException, DrawbridgeException {
        if (body.size() + count > LARGEST) {
            throw tooLong(headers);
        }
        byte[] buffer = new byte[8192];
        while (count > 0) {
            int got = in.read(buffer, 0, Math.min(count, buffer.length));
            if (got < 0) {
                throw new IOException("cut off");
            }
            body.write(buffer, 0, got);
            count -= got;
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0 || line.size() > 65536) {
                throw new IOException("not a line");
            }
            line.write(next);
        }
        String text = new String(line.toByteArray(), StandardCharsets.ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }

    private static DrawbridgeException tooLong(Map<String, String> headers) {
        return new DrawbridgeException("unexpected_answer", "it is too long", null, null, requestId(headers), null);
    }
}
