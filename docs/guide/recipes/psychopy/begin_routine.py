if question is None:
    trials.finished = True  # the loop around this routine is called trials
    continueRoutine = False
    head = left = right = ""
else:
    head = shown(question["head"])
    left, right = map(shown, question["options"])
began = time.monotonic()
