package drawbridge.client.android;

import java.io.InputStream;
import java.io.OutputStream;
import java.security.Key;
import java.security.KeyStoreSpi;
import java.security.Provider;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.Date;
import java.util.Enumeration;

/** An Android Keystore whose keys cannot be had. */
public final class StandInKeystore extends Provider {
    private static final long serialVersionUID = 1;
    static UnrecoverableKeyException problem;

    StandInKeystore() {
        super("AndroidKeyStore", 1, "stand-in");
        put("KeyStore.AndroidKeyStore", Keys.class.getName());
    }

    /** Made by its name. */
    public static final class Keys extends KeyStoreSpi {
        @Override
        public Key engineGetKey(String alias, char[] password) throws UnrecoverableKeyException {
            throw problem;
        }

        @Override
        public void engineLoad(InputStream stream, char[] password) {
        }

        @Override
        public void engineStore(OutputStream stream, char[] password) {
            throw new UnsupportedOperationException("no stand-in");
        }

        @Override
        public Certificate[] engineGetCertificateChain(String alias) {
            return null;
        }

        @Override
        public Certificate engineGetCertificate(String alias) {
            return null;
        }

        @Override
        public Date engineGetCreationDate(String alias) {
            return null;
        }

        @Override
        public void engineSetKeyEntry(String alias, Key key, char[] password, Certificate[] chain) {
            throw new UnsupportedOperationException("no stand-in");
        }

        @Override
        public void engineSetKeyEntry(String alias, byte[] key, Certificate[] chain) {
            throw new UnsupportedOperationException("no stand-in");
        }

        @Override
        public void engineSetCertificateEntry(String alias, Certificate certificate) {
            throw new UnsupportedOperationException("no stand-in");
        }

        @Override
        public void engineDeleteEntry(String alias) {
            throw new UnsupportedOperationException("no stand-in");
        }

        @Override
        public Enumeration<String> engineAliases() {
            return Collections.emptyEnumeration();
        }

        @Override
        public boolean engineContainsAlias(String alias) {
            return true;
        }

        @Override
        public int engineSize() {
            return 0;
        }

        @Override
        public boolean engineIsKeyEntry(String alias) {
            return true;
        }

        @Override
        public boolean engineIsCertificateEntry(String alias) {
            return false;
        }

        @Override
        public String engineGetCertificateAlias(Certificate certificate) {
            return null;
        }
    }
}
