package android.security.keystore;

import java.security.spec.AlgorithmParameterSpec;

public final class KeyGenParameterSpec implements AlgorithmParameterSpec {
    public static final class Builder {
        public Builder(String alias, int purposes) {
        }

        public Builder setAlgorithmParameterSpec(AlgorithmParameterSpec spec) {
            throw new UnsupportedOperationException("stand-in");
        }

        public Builder setDigests(String... digests) {
            throw new UnsupportedOperationException("stand-in");
        }

        public Builder setBlockModes(String... modes) {
            throw new UnsupportedOperationException("stand-in");
        }

        public Builder setEncryptionPaddings(String... paddings) {
            throw new UnsupportedOperationException("stand-in");
        }

        public Builder setKeySize(int bits) {
            throw new UnsupportedOperationException("stand-in");
        }

        public Builder setUserAuthenticationRequired(boolean required) {
            throw new UnsupportedOperationException("stand-in");
        }

        public Builder setUserAuthenticationValidityDurationSeconds(int seconds) {
            throw new UnsupportedOperationException("stand-in");
        }

        public KeyGenParameterSpec build() {
            throw new UnsupportedOperationException("stand-in");
        }
    }
}
