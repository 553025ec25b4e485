"""Events as harel writes them into the event column: the same bytes each time.

An id that begins with `message-` says that the event carries a Message, any other that it carries
none."""

import datetime
import decimal
import json
import uuid

from harel.spec.states import Event

NOON = datetime.datetime(2026, 10, 4, 12, 0, 0, tzinfo=datetime.timezone.utc)
TARGET = "https://t.example/hook"

TEXTS = {
    "empty": "",
    "quotes": 'she said "no" \\ and left / right',
    "html": "<a href='x?y&z'>",
    "controls": "".join(chr(c) for c in range(0x20)) + "\x7f\x80\x9f",
    "separators": "\u2028\u2029\ufeff",
    "greek": "Ἀχιλλεύς",
    "composed": "é e\u0301",
    "astral": "🚰𝔖",
    "right to left": "שלום\u202e",
    "long": "x" * 3000,
}

GROUPS = (
    "exec-1",
    "",
    "a:b:c",
    " spaces ",
    "Zürich/🚰",
    "line\nbreak\ttab",
    "'; DROP TABLE transport_groups; --",
    "%s %(x)s {0}",
    "g" * 900,
    "\\N",
)

VALUES = (
    None,
    True,
    0,
    -1,
    2**53 + 1,
    2**70,
    0.1,
    1e300,
    -0.0,
    5e-324,
    float("inf"),
    float("nan"),
    decimal.Decimal("1.10"),
    NOON,
    datetime.date(2026, 2, 28),
    datetime.timedelta(seconds=90),
    uuid.UUID(int=7),
    b"bytes",
    ("a", "tuple"),
    [],
    {},
    {"": {"": ""}},
    {1: "a number as the key"},
)

KINDS = ("Start", "Timeout", "Finished", "error", "", "order.placed", "Ünïcode 🚰", "with space", "data")


def nested(depth):
    data = {"mediationTarget": TARGET}
    for level in range(depth):
        data = {"level": level, "in": [data]}
    return data


def message(number, **fields):
    return {"id": f"m-{number}", "mediationType": "HTTP", "mediationTarget": TARGET, **fields}


MESSAGES = (
    {},
    {"poolCode": "FAST", "highPriority": True},
    {"authToken": "", "signingSecret": "secret"},
    {"messageGroupId": "exec-1", "dispatchMode": "BLOCK_ON_ERROR"},
    {"messageGroupId": "Zürich 🚰 <&>"},
    {"unknown": {"deep": [1, {"mediationTarget": "no"}]}},
)

# Data that looks like a message and is none.
ALMOST = (
    {"id": "m", "target": TARGET},
    {"message": {"id": "m", "mediationTarget": TARGET}},
    {"id": 5, "mediationTarget": TARGET},
)


def events():
    for kind in KINDS:
        yield Event(id=f"kind-{kind}", kind=kind)
    for name, text in TEXTS.items():
        yield Event(id=f"text-{name}", kind="note", data={"text": text, text or "key": name})
    for number, value in enumerate(VALUES):
        yield Event(id=f"value-{number}", kind="note", data={"value": value, "list": [value, value]})
    for depth in (1, 10, 60):
        yield Event(id=f"nested-{depth}", kind="note", data=nested(depth))
    yield Event(id="times", kind="note", created_time=NOON, received_time=NOON.replace(tzinfo=None))
    yield Event(id='id with "quotes" 🚰', kind="note")
    for number, fields in enumerate(MESSAGES):
        yield Event(id=f"message-{number}", kind="deliver", data=message(number, **fields))
    yield Event(id="message-times", kind="deliver", created_time=NOON, data=message(99))
    for number, data in enumerate(ALMOST):
        yield Event(id=f"almost-{number}", kind="deliver", data=data)


def lines():
    """Each a row of the queue: group, priority, and the event's text as the column has it."""
    for number, event in enumerate(events()):
        yield json.dumps(
            {
                "group_id": GROUPS[number % len(GROUPS)],
                "priority": number % 5,
                "event": event.model_dump_json(),
            },
            ensure_ascii=False,
        )
