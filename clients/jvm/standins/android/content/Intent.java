package android.content;

import android.net.Uri;

public class Intent {
    public static final int FLAG_ACTIVITY_NEW_TASK = 0x10000000;
    private Uri data;

    public Intent setData(Uri data) {
        this.data = data;
        return this;
    }

    public String getDataString() {
        return data == null ? null : data.toString();
    }

    public Intent addFlags(int flags) {
        return this;
    }
}
