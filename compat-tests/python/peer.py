"""What Python services do with the harel package, for the tests to run beside ours.

Each command writes one JSON object a line: what it did to the queue, which took effect between
the instants `from` and `to`, in unix nanoseconds."""

import argparse
import asyncio
import json
import os
import platform
import random
import signal
import threading
import time

import psycopg
from harel.spec.states import Event

import fixture
from transports import HAS_PREFIX, VERSION, on_connection, open_transport


def emit(event, begun, **what):
    print(json.dumps({"event": event, "from": begun, "to": time.time_ns(), **what}), flush=True)


def die_in_time(options):
    """At any point of what it does, as kill -9 does."""
    if options.die_after is not None:
        death = threading.Timer(options.die_after, os.kill, (os.getpid(), signal.SIGKILL))
        death.daemon = True
        death.start()


async def versions(options):
    with psycopg.connect(options.dsn) as connection:
        server = connection.execute("SHOW server_version").fetchone()[0]
    print(
        json.dumps(
            {
                "python": platform.python_version(),
                "harel": VERSION,
                "psycopg": psycopg.__version__,
                "postgresql": server,
            }
        )
    )


async def schema(options):
    """What every worker does at its start."""
    begun = time.time_ns()
    await (await open_transport(options)).close()
    emit("schema", begun)


async def produce(options):
    transport = await open_transport(options)
    die_in_time(options)
    choice = random.Random(options.seed)
    for number in range(options.messages):
        group = f"group-{choice.randrange(options.groups):04d}"
        event = Event(
            id=f"{options.name}-{number:06d}",
            kind="order.placed",
            data={"number": number, "customer": "Zoë"},
        )
        begun = time.time_ns()
        await transport.publish(group, event, choice.randrange(5))
        emit("publish", begun, id=event.id, group=group)
        await asyncio.sleep(options.pause)
    await transport.close()


async def work(options):
    stopping = threading.Event()
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, lambda *_: stopping.set())
    transport = await open_transport(options)
    die_in_time(options)
    await asyncio.gather(
        *(work_alone(transport, options, task, stopping) for task in range(max(1, options.tasks)))
    )
    await transport.close()


async def work_alone(transport, options, task, stopping):
    name = f"{options.name}-{task}"
    choice = random.Random(f"{options.seed} {task}")
    while not stopping.is_set():
        begun = time.time_ns()
        lease = await transport.claim(name, options.visibility, options.min_priority)
        if lease is None:
            await asyncio.sleep(0.01)
            continue
        claimed = {"worker": name, "id": lease.event.id, "group": lease.group_id, "seq": lease.seq}
        if options.data:
            claimed |= {"kind": lease.event.kind, "data": lease.event.data}
        emit("claim", begun, **claimed)
        await asyncio.sleep(choice.random() * options.pause)
        await settle(transport, lease, options, choice, claimed)


async def settle(transport, lease, options, choice, claimed):
    begun = time.time_ns()
    # Whoever is killed after this line may have settled it.
    emit("settle", begun, **claimed)
    if choice.random() < options.nack_rate:
        delay = choice.choice((0.0, choice.uniform(0.05, options.max_delay)))
        await transport.nack(lease, delay)
        emit("nack", begun, **claimed, delay=delay)
    else:
        await transport.ack(lease)
        emit("ack", begun, **claimed)


class CommitsWhenTold:
    """A connection whose `commit` waits for us, so that a publish stays under way."""

    def __init__(self, dsn):
        self.connection = psycopg.connect(dsn)

    def cursor(self):
        return self.connection.cursor()

    def commit(self):
        pass


async def race(options):
    """In each group a publish under way while the last message before it is acked: the race that
    strands messages up to 0.6."""
    worker = await open_transport(options)
    held = CommitsWhenTold(options.dsn)
    options.keep_schema = HAS_PREFIX
    publisher = on_connection(options, held)
    # Or its own creation of the schema would be under way, too.
    held.connection.commit()
    for number in range(options.groups):
        group = f"{options.name}-{number}"
        await worker.publish(group, Event(kind="first"), 0)
        lease = await worker.claim("racer", 30, 0)
        begun = time.time_ns()
        await publisher.publish(group, Event(id=f"{group}-second", kind="second"), 0)
        ack = threading.Thread(target=worker.acks, args=(lease,))
        ack.start()
        ack.join(timeout=0.3)
        waited = ack.is_alive()
        held.connection.commit()
        ack.join()
        emit("race", begun, id=f"{group}-second", group=group, waited=waited)


async def write_fixture(_):
    for line in fixture.lines():
        print(line)


COMMANDS = {
    "versions": versions,
    "schema": schema,
    "produce": produce,
    "work": work,
    "race": race,
    "fixture": write_fixture,
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--dsn")
    parser.add_argument("--prefix")
    parser.add_argument("--keep-schema", action="store_true")
    parser.add_argument("--tasks", type=int, default=0, help="of the async transport; 0: the blocking one")
    parser.add_argument("--clock-ahead", type=float, default=0)
    parser.add_argument("--name", default="python")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--messages", type=int, default=100)
    parser.add_argument("--groups", type=int, default=10)
    parser.add_argument("--pause", type=float, default=0, help="seconds, between messages or to hold one")
    parser.add_argument("--visibility", type=float, default=30)
    parser.add_argument("--min-priority", type=int, default=0)
    parser.add_argument("--nack-rate", type=float, default=0)
    parser.add_argument("--max-delay", type=float, default=0.5)
    parser.add_argument("--data", action="store_true", help="with what the events carry")
    parser.add_argument("--die-after", type=float, help="seconds from when it is connected")
    return parser.parse_args()


def main():
    options = parse()
    asyncio.run(COMMANDS[options.command](options))


if __name__ == "__main__":
    main()
