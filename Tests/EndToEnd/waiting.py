"""Waiting for a browser's page."""

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.support.ui import WebDriverWait


def wait(browser, seconds: int = 10) -> WebDriverWait:
    """Asks again until the answer is true. The page asked may go away in the middle of a question: that is no answer."""
    return WebDriverWait(browser, seconds, ignored_exceptions=[WebDriverException])
