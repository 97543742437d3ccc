"""Schemas of saved states: declared field by field, and checked before a state is used.

:class:`Stateful` objects are saved, restored and copied by what they declare.

A schema maps names to fields. A field declares the kind of its values, their shape and their
range. Shapes and ranges may name sizes, such as ``"A"`` for the number of arms: a size that is
not known yet is bound by the first array that has it, and all others must agree.

>>> layout = {"arms": Wholes("n", below="A"), "payoffs": Reals("n")}
>>> checked({"arms": [0, 4], "payoffs": [1.0, 2.5]}, layout, {"A": 5})["arms"]
array([0, 4])
>>> checked({"arms": [0, 5], "payoffs": [1.0, 2.5]}, layout, {"A": 5})
Traceback (most recent call last):
    ...
stoic.errors.InvalidState: expected arms from 0 to 4 in the state, got 5; it is damaged
"""

from stoic.schema.fields import LARGEST, Field, Reals, Schema, Sums, Texts, Truths, Wholes, checked
from stoic.schema.stateful import Stateful, restore_fields, saved_fields

__all__ = [
    "LARGEST",
    "Field",
    "Reals",
    "Schema",
    "Stateful",
    "Sums",
    "Texts",
    "Truths",
    "Wholes",
    "checked",
    "restore_fields",
    "saved_fields",
]
