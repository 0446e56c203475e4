"""Use the desk's editor of study.toml, like a browser without scripts."""

import html
import re


def opened(client, study="ties"):
    """Open the page; return the fields of its form."""
    page = client.get(f"/desk/{study}/settings").text
    hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    text = re.search(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.S)[1]
    return {"opened": hidden["opened"], "text": html.unescape(text)}


def with_lines(text, section, *lines):
    """Put lines below the heading of a section, and add the section if it is missing."""
    added = "\n".join([f"[{section}]", *lines])
    if f"[{section}]" in text.splitlines():
        return re.sub(rf"^\[{re.escape(section)}\]$", added.replace("\\", "\\\\"), text, flags=re.M)
    return f"{text}\n{added}\n"


def save(client, change, study="ties", **more):
    """Change the current text and save it, with the line ends that browsers send."""
    form = opened(client, study)
    form |= {"text": change(form["text"]).replace("\n", "\r\n")} | more
    return client.post(f"/desk/{study}/settings", data=form)
