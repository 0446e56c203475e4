"""What a map page holds."""

import json
import re


def pictures(page):
    """Count the pictures in a map page."""
    (contents,) = re.findall(r'<script type="application/json" id="contents">(.*?)</script>', page)
    images = json.loads(contents)["images"]
    assert images["source"].startswith("data:image/webp;base64,")
    return sum(size is not None for size in images["sizes"])
