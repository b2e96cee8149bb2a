package drawbridge.site;

import java.util.Collections;
import java.util.List;

/** Who is signed in. What nobody says is null. */
public final class User {
    public final String subject;
    public final String session;
    public final String acr;
    public final List<String> amr;
    /** Unix seconds of the sign-in, where the source knows it: not with PROXY. */
    public final Long authTime;
    /** This and the next two where {@link Settings#identity} names them, as far as Drawbridge says them to this website. */
    public final String name;
    public final String email;
    public final List<String> groups;

    /** For tests of a website's pages; otherwise {@link Site} finds users. What nobody says is null, or an empty list. */
    public User(
        String subject, String session, String acr, List<String> amr, Long authTime, String name, String email,
        List<String> groups) {
        this.subject = subject;
        this.session = session;
        this.acr = acr;
        this.amr = amr;
        this.authTime = authTime;
        this.name = name;
        this.email = email;
        this.groups = groups;
    }

    User(String subject, String session, String acr, List<String> amr, Long authTime, Identity identity) {
        this(subject, session, acr, amr, authTime, identity.name, identity.email, identity.groups);
    }

    /** What /auth/check says beyond the subject, where it is asked. */
    static final class Identity {
        static final Identity NONE = new Identity(null, null, Collections.emptyList());

        final String name;
        final String email;
        final List<String> groups;

        Identity(String name, String email, List<String> groups) {
            this.name = name;
            this.email = email;
            this.groups = groups;
        }
    }
}
