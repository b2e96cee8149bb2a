"""A key file of `drawbridge-phone` that is damaged, beside others that are not."""

import pytest

import phone as phones
from phone import code_of


@pytest.fixture
def phone(tmp_path):
    owner = phones.Phone(tmp_path, None)
    for host in ("a.example", "b.example"):
        owner.run("register", "--code", code_of(host), "--yes")
    return owner


@pytest.fixture
def damaged(phone):
    [path] = [path for path in phone.keys() if "https://a.example" in path.read_text()]
    path.write_text("{")
    return path


def test_a_damaged_key_file_is_named_and_the_others_are_listed(phone, damaged):
    listed = phone.run("keys", "list", status=5)
    assert listed.stdout.startswith("https://b.example  ") and len(listed.stdout.splitlines()) == 1
    assert listed.stderr == f"drawbridge-phone: store_unusable: the key file {damaged} is damaged\n"


def test_a_damaged_key_file_does_not_keep_other_websites_keys_from_being_shown(phone, damaged):
    assert '"https://b.example"' in phone.run("keys", "show", "https://b.example/").stdout
    refused = phone.run("keys", "show", "https://a.example/", status=5)
    assert f"the key file {damaged} of https://a.example is damaged" in refused.stderr


def test_no_pin_is_set_or_taken_off_half_because_of_a_damaged_key_file(phone, damaged):
    pin = phone.secret("pin", "correct horse")
    refused = phone.run("pin", "set", "--new-pin-file", pin, status=5)
    assert f"the key file {damaged} is damaged" in refused.stderr
    assert not (phone.store / "lock.json").exists()
    kept = damaged.read_bytes()
    phone.run("keys", "forget", "https://a.example/")
    phone.run("pin", "set", "--new-pin-file", pin)
    damaged.write_bytes(kept)
    damaged.chmod(0o600)
    refused = phone.run("pin", "remove", "--pin-file", pin, status=5)
    assert f"the key file {damaged} is damaged" in refused.stderr
    assert phone.run("keys", "list", status=5).stdout.rstrip().endswith("under a PIN")
