sides = {"left": left, "right": right}
if not over and key_resp.keys in ("left", "right"):
    thisExp.addData("question", kept["out"]["question"])
    thisExp.addData("head", head)
    thisExp.addData("chosen", sides[key_resp.keys])
    keep(chosen=sides[key_resp.keys])
    tell()
