package drawbridge.site;

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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One question to Drawbridge on a connection of its own: no redirects, no proxy, 256 KiB. {@code HttpURLConnection} takes
 * cookies from what the rest of the process has set, so that one visitor's would go along with another's, and keeps
 * {@code Host} to itself.
 */
final class Http {
    private static final int LARGEST = 262_144;
    /** Ends what takes too long: a timeout of the connection begins anew with every byte. */
    private static final ScheduledExecutorService WATCH = watch();

    private Http() {
    }

    /** Its thread ends when nothing is asked: else it would keep the classes of a web application that was redeployed. */
    private static ScheduledExecutorService watch() {
        ScheduledThreadPoolExecutor watch = new ScheduledThreadPoolExecutor(1, work -> {
            Thread thread = new Thread(work, "drawbridge-deadline");
            thread.setDaemon(true);
            return thread;
        });
        watch.setKeepAliveTime(10, TimeUnit.SECONDS);
        watch.allowCoreThreadTimeOut(true);
        // Else a question that was answered would be kept, and the thread with it, until its deadline.
        watch.setRemoveOnCancelPolicy(true);
        return watch;
    }

    /** @param patience milliseconds for all of it */
    static Drawbridge.Reply get(String address, String path, Map<String, String> headers, long patience)
        throws Unavailable {
        ScheduledFuture<?> deadline = null;
        try (Way way = new Way()) {
            deadline = WATCH.schedule(way::close, patience, TimeUnit.MILLISECONDS);
            URI uri = URI.create(address);
            boolean isTLS = uri.getScheme().equals("https");
            int port = uri.getPort() >= 0 ? uri.getPort() : isTLS ? 443 : 80;
            if (uri.getHost() == null) {
                throw new IOException("no host");
            }
            String host = uri.getHost().replaceAll("[\\[\\]]", "");
            Socket plain = way.to(host, port, patience);
            plain.setSoTimeout((int) patience);
            Socket socket = isTLS ? secured(plain, host, port) : plain;
            String head = head(uri.getRawPath() + path, headers);
            socket.getOutputStream().write(head.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
            return read(new BufferedInputStream(socket.getInputStream()));
        } catch (IOException | IllegalArgumentException none) {
            throw new Unavailable("Drawbridge does not answer: " + none.getClass().getSimpleName());
        } finally {
            if (deadline != null) {
                deadline.cancel(false);
            }
        }
    }

    /** The connection, or the try for one that is under way. */
    private static final class Way implements Closeable {
        private Socket socket = new Socket();
        private boolean isClosed;

        /** To the first of the host's addresses that can be reached; one of two is often out of a network's reach. */
        Socket to(String host, int port, long milliseconds) throws IOException {
            long end = System.nanoTime() + milliseconds * 1_000_000L;
            InetAddress[] all = InetAddress.getAllByName(host);
            for (int at = 0;; at++) {
                int others = all.length - 1 - at;
                long left = (end - System.nanoTime()) / 1_000_000;
                long patience = left / (others + 1);
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

    private static String head(String target, Map<String, String> headers) throws IOException {
        StringBuilder head = new StringBuilder("GET " + target + " HTTP/1.1\r\nConnection: close\r\n");
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (header.getValue().matches("(?s).*[\\r\\n].*")) {
                throw new IOException("a field that would be two");
            }
            head.append(header.getKey()).append(": ").append(header.getValue()).append("\r\n");
        }
        return head.append("\r\n").toString();
    }

    private static Socket secured(Socket plain, String host, int port) throws IOException {
        SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
        SSLSocket socket = (SSLSocket) factory.createSocket(plain, host, port, true);
        // Java looks at the certificate's name for HTTPS alone, and only when it is told.
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm("HTTPS");
        socket.setSSLParameters(parameters);
        socket.startHandshake();
        return socket;
    }

    private static Drawbridge.Reply read(InputStream in) throws IOException, Unavailable {
        int status;
        List<String[]> headers;
        do {
            String line = line(in);
            if (!line.matches("HTTP/1\\.[01] [1-5][0-9]{2}( .*)?")) {
                throw new IOException("not HTTP");
            }
            status = Integer.parseInt(line.substring(9, 12));
            headers = new ArrayList<>();
            for (line = line(in); !line.isEmpty(); line = line(in)) {
                int colon = line.indexOf(':');
                if (colon <= 0 || headers.size() >= 200) {
                    throw new IOException("not a header");
                }
                headers.add(new String[] {line.substring(0, colon), line.substring(colon + 1).trim()});
            }
        } while (status < 200);
        byte[] body = status == 204 || status == 304 ? new byte[0] : body(in, headers);
        return new Drawbridge.Reply(status, headers, new String(body, StandardCharsets.UTF_8));
    }

    private static byte[] body(InputStream in, List<String[]> headers) throws IOException, Unavailable {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        String coding = value(headers, "transfer-encoding");
        String length = value(headers, "content-length");
        if (coding != null) {
            if (!coding.equalsIgnoreCase("chunked")) {
                throw new IOException("an unknown transfer encoding");
            }
            for (int size = chunk(in); size > 0; size = chunk(in)) {
                take(in, size, body);
                if (!line(in).isEmpty()) {
                    throw new IOException("not a chunk");
                }
            }
        } else if (length != null) {
            if (!length.matches("[0-9]{1,9}")) {
                throw new IOException("not a length");
            }
            take(in, Integer.parseInt(length), body);
        } else {
            for (int next = in.read(); next >= 0; next = in.read()) {
                expectRoom(body.size() + 1);
                body.write(next);
            }
        }
        return body.toByteArray();
    }

    private static String value(List<String[]> headers, String name) {
        for (String[] header : headers) {
            if (header[0].equalsIgnoreCase(name)) {
                return header[1];
            }
        }
        return null;
    }

    private static int chunk(InputStream in) throws IOException {
        String size = line(in).split(";", 2)[0].trim();
        if (!size.matches("[0-9A-Fa-f]{1,7}")) {
            throw new IOException("not a chunk");
        }
        return Integer.parseInt(size, 16);
    }

    private static void take(InputStream in, int count, ByteArrayOutputStream body) throws IOException, Unavailable {
        expectRoom((long) body.size() + count);
        byte[] buffer = new byte[8192];
        for (int left = count; left > 0;) {
            int got = in.read(buffer, 0, Math.min(left, buffer.length));
            if (got < 0) {
                throw new IOException("cut off");
            }
            body.write(buffer, 0, got);
            left -= got;
        }
    }

    private static void expectRoom(long size) throws Unavailable {
        if (size > LARGEST) {
            throw new Unavailable("Drawbridge's answer is too large");
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
}
