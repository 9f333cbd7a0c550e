import json
import re

from unfooled.play.page import module, page, policy, style
from unfooled.play.wording import english
from unfooled.report.page import hashed


def test_the_policy_lets_in_just_what_the_page_holds() -> None:
    whole = page()
    (own_style,) = re.findall(r"<style>(.*?)</style>", whole, re.DOTALL)
    (own_module,) = re.findall(r'<script type="module">(.*?)</script>', whole, re.DOTALL)
    assert (own_style, own_module) == (style(), module())
    assert (
        f"style-src 'sha256-{hashed(own_style)}'" in policy()
        and f"script-src 'sha256-{hashed(own_module)}'" in policy()
    )
    assert policy().startswith("default-src 'none'") and "connect-src 'self'" in policy()
    assert "unsafe" not in policy() and "http" not in policy()


def test_nothing_points_outside() -> None:
    assert not re.findall(r'(?:src|href)="(?!#|data:,)[^"]*"', page())
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)\S+|@import|url\(", page())


def test_every_place_that_the_script_looks_for_is_there_once() -> None:
    looked_for = set(re.findall(r'find\("([\w-]+)"\)', module()))
    places = re.findall(r' id="([\w-]+)"', page())
    assert len(places) == len(set(places)) and looked_for <= set(places)


def test_texts_travel_as_inert_data_and_a_browser_without_modules_is_told() -> None:
    (texts,) = re.findall(r'<script type="application/json" id="english">(.*?)</script>', page(), re.DOTALL)
    assert json.loads(texts) == english()
    assert re.search(r'<p id="no-module"[^>]*>This page needs a browser from 2022', page())
    assert "hidden" not in re.findall(r"<p id=\"no-module\"[^>]*>", page())[0]
