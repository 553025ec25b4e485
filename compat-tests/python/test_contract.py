"""The contract that the package ships for transports, on PostgreSQL, blocking and async; its own
tests run the async one on other databases only."""

import os
import uuid

import psycopg
import pytest
from harel.engine.aio_transport import AsyncPostgresTransport
from harel.engine.transport import PostgresTransport
from harel.testing import assert_async_transport_contract, assert_transport_contract

from transports import HAS_PREFIX

pytestmark = pytest.mark.stack

DSN = os.environ["SLUICE_DSN"]


def fresh():
    """Empty tables: those of a new prefix, or the only ones there are, emptied."""
    if HAS_PREFIX:
        return {"prefix": f"c{uuid.uuid4().hex[:8]}"}
    with psycopg.connect(DSN) as connection:
        connection.execute("TRUNCATE transport_messages, transport_groups")
    return {}


def test_contract():
    assert_transport_contract(
        lambda clock: PostgresTransport(psycopg.connect(DSN), clock=clock, **fresh())
    )


async def test_async_contract():
    await assert_async_transport_contract(
        lambda clock: AsyncPostgresTransport.from_dsn(DSN, clock=clock, pool_size=2, **fresh())
    )
