package drawbridge.site;

import java.util.List;

/** Who is signed in. What nobody says is null. */
public final class User {
    public final String subject;
    public final String session;
    public final String acr;
    public final List<String> amr;
    /** Unix seconds of the sign-in, where the source knows it: not with PROXY. */
    public final Long authTime;

    User(String subject, String session, String acr, List<String> amr, Long authTime) {
        this.subject = subject;
        this.session = session;
        this.acr = acr;
        this.amr = amr;
        this.authTime = authTime;
    }
}
