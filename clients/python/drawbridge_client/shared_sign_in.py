"""What the apps of one maker share on one device (Native SSO): in one item, so that its two parts always belong together."""

from .checks import is_text
from .configuration import Configuration
from .id_token import parts
from .vault import Vault


class SharedSignIn:
    def __init__(self, configuration: Configuration, vault: Vault):
        self._configuration, self._vault = configuration, vault

    def stored(self) -> dict | None:
        if self._configuration.group is None:
            return None
        kept = self._vault.read_object(self._vault.shared_item)
        whole = kept and is_text(kept.get("device_secret")) and is_text(kept.get("id_token")) and parts(kept["id_token"])
        return kept if whole else None

    def current(self) -> dict | None:
        """The same for whoever holds no lock: not what a renewal under way is about to replace."""
        with self._vault.sharing():
            return self.stored()

    def share(self, device_secret: str, id_token: str):
        if self._configuration.group is not None:
            self._vault.write(self._vault.shared_item, {"device_secret": device_secret, "id_token": id_token})

    def forget(self, dead: dict, before: dict | None = None):
        """Forgets a shared sign-in, or goes back to the one before it, unless another app has put in a fresh one."""
        now = self.stored()
        if not now or now["device_secret"] != dead["device_secret"]:
            return
        if before:
            self.share(before["device_secret"], before["id_token"])
        else:
            self.remove()

    def remove(self):
        self._vault.remove(self._vault.shared_item)


def person(shared: dict) -> str:
    """Whose sign-in is shared."""
    return parts(shared["id_token"])["claims"]["sub"]
