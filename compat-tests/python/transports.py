"""harel's PostgreSQL transports, in whichever version of the package is installed."""

import importlib.metadata
import importlib.util
import time

import psycopg
from harel.engine.aio_transport import AsyncPostgresTransport
from harel.engine.transport import PostgresTransport

VERSION = importlib.metadata.version("harel")

# Up to 0.6 the tables have fixed names, and every start creates them and replaces the functions.
HAS_PREFIX = importlib.util.find_spec("harel.engine.schema") is not None


class Awaited:
    """A blocking transport with the methods of the async one."""

    def __init__(self, transport):
        self._transport = transport

    async def publish(self, *arguments):
        self._transport.publish(*arguments)

    async def claim(self, *arguments):
        return self._transport.claim(*arguments)

    async def ack(self, lease):
        self._transport.ack(lease)

    def acks(self, lease):
        """For a thread that waits."""
        self._transport.ack(lease)

    async def nack(self, lease, delay):
        self._transport.nack(lease, delay)

    async def close(self):
        self._transport.close()


def _clock(options):
    return lambda: time.time() + options.clock_ahead


def _named(options):
    if HAS_PREFIX:
        return {"prefix": options.prefix, "create_schema": not options.keep_schema}
    if options.prefix or options.keep_schema:
        raise SystemExit(f"harel {VERSION} has neither prefixes nor create_schema")
    return {}


def on_connection(options, connection):
    """The blocking transport."""
    return Awaited(PostgresTransport(connection, clock=_clock(options), **_named(options)))


async def open_transport(options):
    """The transport that the options name: `dsn`, `prefix`, `tasks` (0: the blocking one),
    `keep_schema` (create nothing; from 0.7 on) and `clock_ahead` in seconds."""
    if options.tasks:
        return await AsyncPostgresTransport.from_dsn(
            options.dsn, clock=_clock(options), pool_size=options.tasks, **_named(options)
        )
    # As harel opens it: not in autocommit, so each of its statements begins a transaction.
    return on_connection(options, psycopg.connect(options.dsn))
