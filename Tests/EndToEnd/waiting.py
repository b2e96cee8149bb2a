"""Waiting for a browser's page."""

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.remote.command import Command
from selenium.webdriver.support.ui import WebDriverWait

LOOKS = {Command.FIND_ELEMENT, Command.FIND_ELEMENTS}


def wait(browser, seconds: int = 30) -> WebDriverWait:
    """Asks again until the answer is true. The page asked may go away in the middle of a question: that is no answer."""
    return WebDriverWait(browser, seconds, ignored_exceptions=[WebDriverException])


class Chromium(webdriver.Chrome):
    """Looks again where a page went away in the middle of a look, which Chromium's driver takes for an unknown error."""

    def execute(self, driver_command, params=None):
        def answer():
            return super(Chromium, self).execute(driver_command, params)

        try:
            return answer()
        except WebDriverException as error:
            if driver_command not in LOOKS or "does not belong to the document" not in str(error):
                raise
            return wait(self).until(lambda _: answer())
