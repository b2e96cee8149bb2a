package android.content;

public abstract class Context {
    public static final int MODE_PRIVATE = 0;

    public abstract void startActivity(Intent intent);

    public abstract SharedPreferences getSharedPreferences(String name, int mode);
}
