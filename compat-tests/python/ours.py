"""A pytest plugin that has harel's own tests run on the tables of `sluice schema init`.

SLUICE_SCHEMA names a file: from 0.7 on our whole schema under the prefix `placeholder`, which is
created wherever harel would create its own; up to 0.6 the functions that Python calls, the tables
being there already. SLUICE_FUNCTIONS says whose bodies these functions have, `ours` or `theirs`."""

import os
import pathlib

from harel.engine.aio_transport import postgres as aio
from harel.engine.transport import postgres as blocking

from transports import HAS_PREFIX

OURS = pathlib.Path(os.environ["SLUICE_SCHEMA"]).read_text(encoding="utf-8")
WITH_OUR_FUNCTIONS = os.environ["SLUICE_FUNCTIONS"] == "ours"


def schema(theirs):
    def statements(dialect, prefix):
        ours = [OURS.replace("placeholder_", f"{prefix}_")]
        return ours if WITH_OUR_FUNCTIONS else ours + theirs(dialect, prefix)

    return statements


def pytest_configure():
    for module in (blocking, aio):
        if HAS_PREFIX:
            module.transport_schema = schema(module.transport_schema)
        elif WITH_OUR_FUNCTIONS:
            module._PG_CLAIM_FN, module._PG_ACK_FN = OURS, "SELECT 1"
