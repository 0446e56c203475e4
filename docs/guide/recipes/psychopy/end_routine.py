if question is not None and key_resp.keys in ("left", "right"):
    chosen = ("left", "right").index(key_resp.keys)
    rt_ms = 1000 * (time.monotonic() - began)
    thisExp.addData("question", question["id"])
    thisExp.addData("chosen", (left, right)[chosen])
    keep({"question": question["id"], "response": {"chosen": chosen}, "rt_ms": rt_ms})
    question = next_question()
