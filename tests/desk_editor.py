"""The editor of study.toml at the desk, as a browser without scripts uses it."""

import html
import re


def opened(client, study="ties"):
    """Open the page; return the fields of its form."""
    page = client.get(f"/desk/{study}/settings").text
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    text = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.S)[1]
    return {"opened": hidden["opened"], "text": html.unescape(text)}


def with_lines(text, section, *lines):
    """Put lines below the heading of a section, which is added where there is none."""
    added = "\n".join([f"[{section}]", *lines])
    if f"[{section}]" in text.splitlines():
        return re.sub(rf"^\[{re.escape(section)}\]$", added.replace("\\", "\\\\"), text, flags=re.M)
    return f"{text}\n{added}\n"


def save(client, change, study="ties", **more):
    """Change the text that is there now and save it, with the lines' ends that browsers send."""
    form = opened(client, study)
    form |= {"text": change(form["text"]).replace("\n", "\r\n")} | more
    return client.post(f"/desk/{study}/settings", data=form)
