"""The figures of the documentation and the numbers in its text, made again by one command.

    python -m examples.gallery [NAME …]        # from the root of a clone; `make figures`

Each module ``NAME.py`` of this package belongs to a page of ``docs``. It runs the code that the
page shows, draws ``docs/figures/NAME.png``, keeps the facts in ``docs/figures/NAME.json``, and
writes the sentences that quote them between two markers of the page. Needs the extras ``figures``,
``sklearn`` and ``cli``; two pages also need data that is not distributed (``STOIC_DATA``).
"""
