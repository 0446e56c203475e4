over = kept["answered"] >= questions  # this person is done
if not over and kept["out"] is None:
    try:
        keep(out=call("ask", {}))
    except Refused as refusal:  # the session is over for all
        print(f"Ended early: {refusal}")
        over = True
if over:
    trials.finished = True  # the loop around this routine is called trials
    continueRoutine = False
    head = left = right = ""
else:
    head = kept["out"]["head"]
    left, right = kept["out"]["options"]
