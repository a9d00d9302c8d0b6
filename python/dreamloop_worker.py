# Starts the worker, after saying in one line of JSON what an interpreter lacks. Kept to syntax that old interpreters parse.
import json
import os
import sys


def refuse(code, message):
    sys.stderr.write("dreamloop-refusal " + json.dumps({"code": code, "message": message}) + "\n")
    sys.stderr.flush()
    os._exit(78)


if sys.version_info < (3, 9):
    refuse(
        "unavailable",
        "%s is Python %d.%d, and worlds need Python 3.9 or newer; choose another interpreter with --python"
        % (sys.executable, sys.version_info[0], sys.version_info[1]),
    )
try:
    import numpy  # noqa: F401
except ImportError as error:
    refuse(
        "unavailable",
        "%s has no NumPy (%s); install it with %s -m pip install numpy, or choose another interpreter with --python"
        % (sys.executable, error, sys.executable),
    )

from dreamloop.worker import main  # noqa: E402

sys.exit(main())
