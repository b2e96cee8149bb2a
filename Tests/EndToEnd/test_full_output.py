"""`drawbridge-app` and `drawbridge-phone` where their output takes nothing."""

import subprocess

import pytest

import desktop
import phone as phones
from phone import code_of


@pytest.fixture
def full():
    with open("/dev/full", "wb") as device:
        yield device


def run(command: list[str], environment: dict, **streams) -> subprocess.CompletedProcess:
    return subprocess.run(command, stdin=subprocess.DEVNULL, env=environment, timeout=60, **streams)


def test_words_that_cannot_be_shown_change_no_exit_status(demo, tmp_path, full):
    app = desktop.Desktop(demo, tmp_path)
    done = run([desktop.binary(), "whoami"], app.environment, stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 3, "nobody is signed in"
    phone = phones.Phone(tmp_path, None)
    done = run([phones.binary(), "handle", "nonsense", "--store", str(phone.store)], phone.environment,
               stdout=subprocess.PIPE, stderr=full)
    assert done.returncode == 2, "a bad link"


def test_a_question_that_cannot_be_shown_is_answered_with_no(tmp_path, full):
    phone = phones.Phone(tmp_path, None)
    done = subprocess.run(
        [phones.binary(), "register", "--code", code_of("a.example"), "--store", str(phone.store)], input=b"y\n",
        env=phone.environment, stdout=subprocess.PIPE, stderr=full, timeout=60)
    assert done.returncode == 10 and done.stdout == b"" and phone.keys() == []


def test_a_result_of_a_phone_that_cannot_be_written_is_told(tmp_path, full):
    phone = phones.Phone(tmp_path, None)
    phone.run("register", "--code", code_of("a.example"), "--yes")
    proof = ("register", "--code", code_of("a.example"), "--yes")
    for words in [("keys", "list"), ("keys", "show", "https://a.example/"), proof]:
        command = [phones.binary(), *words, "--store", str(phone.store)]
        done = run(command, phone.environment, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 5, words
        assert done.stderr.endswith(b"drawbridge-phone: the result cannot be written to standard output\n"), words


def test_a_result_of_an_app_that_cannot_be_written_is_told(demo, tmp_path, full):
    app = desktop.Desktop(demo, tmp_path)
    desktop.sign_in_by_hand(demo, app)
    for words in [("whoami",), ("whoami", "--json"), ("open", "--print-url", "/contacts"), ("sign-in", "--print-url")]:
        done = run([desktop.binary(), *words], app.environment, stdout=full, stderr=subprocess.PIPE)
        assert done.returncode == 1, words
        assert done.stderr.endswith(b"drawbridge-app: the result cannot be written to standard output\n"), words
    # What was done stays done.
    assert run([desktop.binary(), "sign-out"], app.environment, stdout=full, stderr=subprocess.PIPE).returncode == 0
