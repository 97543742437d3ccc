"""Passes over all arms, each of them one call: compiled where Numba is installed.

At a thousand arms a NumPy call costs as much as the work that it does, and a round takes some
twenty of them. ``pip install stoic[fast]`` brings Numba, which makes one loop of each pass, and
takes half a second when the first policy is made. Results are the same up to rounding.

A file has a loop's NumPy form and its compiled form, one above the other; :mod:`.compiling`
decides which of them gets the loop's name.
"""

from stoic.loops.bounds import highest as highest
from stoic.loops.clipping import clip_payoffs as clip_payoffs
from stoic.loops.covariance import late_play as late_play
from stoic.loops.deviations import deviate as deviate
from stoic.loops.deviations import pull as pull
from stoic.loops.directions import clip_directions as clip_directions
from stoic.loops.directions import cut_directions as cut_directions
from stoic.loops.features import correlate as correlate
from stoic.loops.features import play as play
from stoic.loops.features import spread as spread
from stoic.loops.interpolation import interpolate as interpolate
from stoic.loops.interpolation import interpolation_error as interpolation_error
from stoic.loops.norms import norm as norm
from stoic.loops.rank_one import turn as turn
from stoic.loops.sampling import outlive as outlive
from stoic.loops.smoothing import smooth_about as smooth_about
from stoic.loops.streams import take_in as take_in
