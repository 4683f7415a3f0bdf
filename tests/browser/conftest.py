"""The system's Chromium, driven by Selenium; nothing is downloaded."""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SCREENS = "CONTREE_SCREENSHOTS"
"""Names a folder that keeps the screenshots; else they are in pytest's own."""


@dataclass
class Browser:
    """A window that can be given any width and either colour scheme."""

    driver: Any

    def open(self, path: Path, width: int, scheme: str = "light", fragment: str = "") -> None:
        """Show a file, and wait until its boards are there."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get("about:blank")  # else only the fragment might change
        self.driver.get(path.as_uri() + fragment)

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script comes to."""
        return self.driver.execute_script(script, *arguments)

    def wait_for(self, script: str) -> Any:
        """What a script comes to, as soon as that is something."""
        from selenium.webdriver.support.ui import WebDriverWait  # noqa: PLC0415

        return WebDriverWait(self.driver, 60).until(lambda _: self.run(script))

    def log(self) -> list[str]:
        """What the console has to complain about since it was last asked."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, path: Path) -> None:
        """The whole page as an image."""
        width, height = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        taken = self.driver.execute_cdp_cmd(
            "Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip}
        )
        path.write_bytes(base64.b64decode(taken["data"]))


def _needed(*names: str) -> str:
    found = next(filter(None, map(shutil.which, names)), None)
    assert found is not None, f"needs {names[0]}; on Debian: apt install chromium chromium-driver"
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    from selenium import webdriver  # noqa: PLC0415 - an extra that only these tests need
    from selenium.webdriver.chrome.service import Service  # noqa: PLC0415

    options = webdriver.ChromeOptions()
    options.binary_location = _needed("chromium", "chromium-browser", "google-chrome")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(_needed("chromedriver")))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
