"""
Templates and masks
===================

What an observer compares noisy images with, and how sure each pixel of it is: the second row is in
standard errors, the third its means in the four quarters of the image.
"""

import resemblance as rs

task = rs.stimuli.FourSquares(side=4)
person = rs.TemplateObserver(task.signals, task.labels, "exemplar", noise=0.3, random_state=0)
stairs = rs.Staircase(0.8, steps=[0.2, 0.1, 0.05], down=3, up=1)
trials = rs.observers.run_staircase(person, task, stairs, n_trials=1500, random_state=0)
model = rs.DecisionTemplates().fit(trials)
maps = rs.template_uncertainty(model, trials, n_resamples=20, random_state=0)
figure = rs.plot_templates(model, maps.z, mask_name="z", regions=task.regions)
