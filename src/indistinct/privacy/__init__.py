"""The promises: one file per privacy model.

A new model is one file here: a frozen dataclass that derives from
:class:`~indistinct.privacy.promise.Promise` and names its ``model``. It is found by being here.
"""

from indistinct.privacy.promise import Closure, Promise, models, promise

__all__ = ["Closure", "Promise", "models", "promise"]
