package android.content;

public interface SharedPreferences {
    String getString(String name, String missing);

    Editor edit();

    interface Editor {
        Editor putString(String name, String value);

        Editor remove(String name);

        boolean commit();
    }
}
