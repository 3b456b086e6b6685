"""Every finding: a sound table has none, and breaking one thing gives exactly the one code."""

import enum
import pickle
from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict

import attrs
import pytest

from transitable.check.claims import always, never, precedes
from transitable.check.findings import ERRORS, LEVELS, WARNINGS, Finding, find_problems
from transitable.errors import UpdateError
from transitable.model.compiler import compile_table
from transitable.model.nodes import each, field, node, pause, together
from transitable.model.rows import END, again, by, limit, then
from transitable.model.state import describe_state, grows
from transitable.model.table import Table


class Kind(enum.StrEnum):
    WORK = "work"
    ASK = "ask"
    STOP = "stop"


@attrs.frozen
class Verdict:
    allowed: bool
    reason: str = ""


@attrs.frozen
class State:
    kind: Kind | None = None
    items: tuple[str, ...] = ()
    results: tuple[str, ...] = grows()
    left: str = ""
    right: str = ""
    verdict: Verdict | None = None
    urgent: bool = False
    alike: Literal[1] | bool = 1
    text: str = ""
    turns: int = 0
    most: int = 3


class Chosen(TypedDict):
    kind: Literal[Kind.WORK, Kind.ASK]


class Left(TypedDict):
    left: str
    results: tuple[str, ...]


class Right(TypedDict):
    right: str
    results: tuple[str, ...]


class Turned(TypedDict):
    turns: int


class Urged(TypedDict):
    urgent: bool


class Told(TypedDict):
    text: str


class Other(TypedDict):
    txt: str


class Wrong(TypedDict):
    kind: int


def choose(state: State) -> Chosen:
    return {"kind": Kind.WORK}


def choose_any(state: State) -> Mapping[str, object]:
    return {"kind": Kind.WORK}


def write_left(state: State) -> Left:
    return {"left": "l", "results": ()}


def write_right(state: State) -> Right:
    return {"right": "r", "results": ()}


def write_anything(state: State) -> Mapping[str, object]:
    return {}


def write_turns(state: State) -> Turned:
    return {"turns": 0}


def write_urgent(state: State) -> Urged:
    return {"urgent": True}


def write_text(state: State) -> Told:
    return {"text": ""}


def write_other(state: State) -> Other:
    return {"txt": ""}


def write_wrong(state: State) -> Wrong:
    return {"kind": 1}


def write_number(state: State) -> int:
    return 1


def work(item: str) -> str:
    return item


def close(state: State) -> None:
    return None


def lonely(state: State) -> None:
    return None


def needs_three(state: State, second: int, third: int) -> None:
    return None


def note(state: State, failure: object, row: object) -> Mapping[str, object]:
    return {}


use = each("items", work, into="results", name="use")
pair = together(write_left, write_right, name="pair")
ask = pause("ask", question=field("items"), answer=Verdict, into="verdict")
TABLE: dict[Any, Any] = {
    choose: by("kind", {Kind.WORK: use, Kind.ASK: ask}, on_error={Exception: close}),
    use: then(pair, on_error={ValueError: close}),
    pair: again(choose, count="turns", at_most=2, otherwise=close),
    ask: by("verdict.allowed", {True: use, False: close}),
    close: END,
}
CLAIMS = (always(close), precedes(choose, use))


def find(
    table: Mapping[Any, Any] = TABLE,
    *,
    state: Any = State,
    start: Any = choose,
    claims: tuple[Any, ...] = CLAIMS,
    silence: tuple[str, ...] = (),
    **options: Any,
) -> tuple[Finding, ...]:
    return find_problems(
        compile_table(describe_state(state), start, table, **{"note": note, **options}), claims, silence
    )


def leave_out(place: Any) -> dict[Any, Any]:
    return {key: target for key, target in TABLE.items() if key is not place}


class Inner:
    """A graph, as a table sees it."""

    def __init__(self, table: Table, name: str) -> None:
        self.table = table
        self.name = name


def make_inner(state: Any, table: Mapping[Any, Any], start: Any, name: str = "inner") -> Inner:
    return Inner(compile_table(describe_state(state), start, table), name)


@attrs.define
class Changing:
    kind: Kind | None = None


@attrs.frozen
class Listing:
    kinds: list[Kind] = attrs.field(factory=list)


@attrs.frozen
class Growing:
    text: str = attrs.field(default="", metadata={"transitable.grows": True})


@attrs.frozen
class Elsewhere:
    text: str = ""


def start_here(state: Any) -> None:
    return None


def make_error() -> type[Exception]:
    class Twin(Exception):  # noqa: N818
        pass

    return Twin


over_number = each("turns", work, into="results", name="over_number")
into_number = each("items", work, into="turns", name="into_number")
loose = together(write_left, write_anything, name="loose")
clash = together(write_left, node(write_left, name="again"), name="clash")
twins = together(write_left, node(write_right, name="write_left"), name="twins")
unasked = pause("unasked", question=field("itmes"), answer=Verdict, into="verdict")
misfit = pause("misfit", question="?", answer=int, into="verdict")
foreign = make_inner(Elsewhere, {start_here: END}, start_here, "foreign")
SOUND_LOOP = again(choose, count="turns", at_most=2, otherwise=close)

MUTATIONS: list[tuple[str, Callable[[], tuple[Finding, ...]]]] = [
    ("state-not-frozen", lambda: find({start_here: END}, state=Changing, start=start_here, claims=())),
    ("state-not-frozen", lambda: find(state=str)),
    ("unreadable-field", lambda: find({start_here: END}, state=Listing, start=start_here, claims=())),
    ("grows-not-tuple", lambda: find({start_here: END}, state=Growing, start=start_here, claims=())),
    ("empty-table", lambda: find({})),
    ("no-start", lambda: find(start=None)),
    ("no-start", lambda: find(start=END)),
    ("not-a-place", lambda: find(TABLE | {use: "pair"})),
    ("not-a-place", lambda: find(TABLE | {use: None})),
    ("not-a-place", lambda: find(TABLE | {use: then(by("kind", {}))})),
    ("not-a-place", lambda: find(TABLE | {State: END})),
    ("not-a-place", lambda: find(start="choose")),
    ("not-a-place", lambda: find(on_cancel=END)),
    ("bad-name", lambda: find(TABLE | {(lambda state: None): END})),
    ("duplicate-name", lambda: find(TABLE | {node(lonely, name="close"): END})),
    ("duplicate-name", lambda: find(TABLE | {pair: then(twins), twins: SOUND_LOOP})),
    ("dead-end", lambda: find(leave_out(close))),
    ("bad-signature", lambda: find(TABLE | {use: then(needs_three), needs_three: then(pair)})),
    ("bad-return", lambda: find(TABLE | {use: then(write_number), write_number: then(pair)})),
    ("unknown-write", lambda: find(TABLE | {use: then(write_other), write_other: then(pair)})),
    ("wrong-write-type", lambda: find(TABLE | {use: then(write_wrong), write_wrong: then(pair)})),
    ("wrong-write-type", lambda: find(TABLE | {use: then(misfit), misfit: then(pair)})),
    ("count-written", lambda: find(TABLE | {use: then(write_turns), write_turns: then(pair)})),
    (
        "given-written",
        lambda: find(
            TABLE | {use: then(write_urgent), write_urgent: by("urgent", {True: pair, False: close}, given=True)}
        ),
    ),
    ("each-items", lambda: find(TABLE | {use: then(over_number), over_number: then(pair)})),
    ("each-into", lambda: find(TABLE | {use: then(into_number), into_number: then(pair)})),
    ("subgraph-state", lambda: find(TABLE | {use: then(foreign), foreign: then(pair)})),
    ("undeclared-part", lambda: find(TABLE | {pair: then(loose), loose: SOUND_LOOP})),
    ("overlapping-writes", lambda: find(TABLE | {pair: then(clash), clash: SOUND_LOOP})),
    ("pause-question", lambda: find(TABLE | {use: then(unasked), unasked: then(pair)})),
    ("unknown-field", lambda: find(TABLE | {ask: by("verdct.allowed", {True: use, False: close})})),
    ("unknown-field", lambda: find(TABLE | {ask: by("verdict.alowed", {True: use, False: close})})),
    ("open-branch", lambda: find(TABLE | {ask: by("verdict.reason", {"": use}, otherwise=close)})),
    ("open-branch", lambda: find(TABLE | {write_text: by("text", {"": close}, otherwise=use), use: write_text})),
    (
        "alike-members",
        lambda: find(TABLE | {close: then(lonely), lonely: by("alike", {1: close, False: END}, given=True)}, claims=()),
    ),
    ("unwritten-branch", lambda: find(TABLE | {close: by("urgent", {True: lonely, False: END}), lonely: END})),
    ("unknown-member", lambda: find(TABLE | {choose: by("kind", {"work": use, Kind.ASK: ask})})),
    ("unknown-member", lambda: find(TABLE | {ask: by("verdict.allowed", {1: use, False: close})})),
    ("unknown-member", lambda: find(TABLE | {choose: by("kind", {Kind.WORK: use, Kind.ASK: ask, "late": close})})),
    ("missing-member", lambda: find(TABLE | {choose: by("kind", {Kind.WORK: ask})})),
    ("dead-row", lambda: find(TABLE | {choose: by("kind", {Kind.WORK: use, Kind.ASK: ask, Kind.STOP: close})})),
    ("dead-row", lambda: find(TABLE | {choose: by("kind", {Kind.WORK: use, Kind.ASK: ask, None: close})})),
    ("dead-row", lambda: find(TABLE | {choose: by("kind", {Kind.WORK: use, Kind.ASK: ask}, otherwise=close)})),
    (
        "dead-row",
        lambda: find(TABLE | {ask: by("verdict.allowed", {True: use, False: close}, on_error={ValueError: close})}),
    ),
    ("bad-error-row", lambda: find(TABLE | {use: then(pair, on_error={KeyboardInterrupt: close})})),
    ("bad-error-row", lambda: find(TABLE | {use: then(pair, on_error={(ValueError, KeyError): close})})),
    ("bad-error-row", lambda: find(TABLE | {use: then(pair, on_error={"ValueError": close})})),
    ("bad-error-row", lambda: find(TABLE | {use: then(pair, on_error={make_error(): close, make_error(): pair})})),
    ("bad-count", lambda: find(TABLE | {pair: again(choose, count="truns", at_most=2, otherwise=close)})),
    ("bad-count", lambda: find(TABLE | {pair: again(choose, count="text", at_most=2, otherwise=close)})),
    ("bad-limit", lambda: find(TABLE | {pair: again(choose, count="turns", at_most=-1, otherwise=close)})),
    ("bad-limit", lambda: find(TABLE | {pair: again(choose, count="turns", at_most=[2], otherwise=close)})),
    (
        "bad-limit",
        lambda: find(TABLE | {pair: again(choose, count="turns", at_most=limit("text", cap=2), otherwise=close)}),
    ),
    (
        "bad-limit",
        lambda: find(TABLE | {pair: again(choose, count="turns", at_most=limit("turns", cap=2), otherwise=close)}),
    ),
    ("unreachable", lambda: find(TABLE | {lonely: END})),
    ("no-end", lambda: find(TABLE | {close: then(close)})),
    ("unbounded-cycle", lambda: find(TABLE | {pair: then(choose, on_error={Exception: close})})),
    ("unbounded-cycle", lambda: find(TABLE | {use: then(pair, on_error={ValueError: use})})),
    ("unknown-claim", lambda: find(claims=(always(lonely),))),
    ("unknown-claim", lambda: find(claims=("always(close)",))),
    ("broken-claim", lambda: find(claims=(never(after=ask, reach=use),))),
    ("unknown-silence", lambda: find(silence=("idle-bond",))),
    ("unknown-silence", lambda: find(silence=("dead-row",))),
    ("unnoted-errors", lambda: find(note=None)),
    ("one-way-branch", lambda: find(TABLE | {ask: by("verdict.allowed", {True: use, False: use})})),
    (
        "idle-bound",
        lambda: find(TABLE | {close: again(lonely, count="turns", at_most=1, otherwise=END), lonely: END}),
    ),
    ("idle-cancel", lambda: find(on_cancel=choose)),
]


def test_the_sound_table_has_no_finding() -> None:
    """A sound table has no finding; two parts of `pair` write one growing field, which is no overlap."""
    assert find() == ()


@pytest.mark.parametrize(("code", "mutate"), MUTATIONS, ids=[f"{i}-{code}" for i, (code, _) in enumerate(MUTATIONS)])
def test_a_mutation_gives_exactly_its_finding(code: str, mutate: Callable[[], tuple[Finding, ...]]) -> None:
    """Breaking one thing gives exactly the finding that names it, with places of the table and a fix."""
    findings = mutate()

    assert {finding.code for finding in findings} == {code}
    for finding in findings:
        assert (finding.level, bool(finding.found), bool(finding.fix)) == (LEVELS[code], True, True)


def test_every_code_has_a_mutation() -> None:
    """No code exists that no test provokes."""
    assert {code for code, _ in MUTATIONS} == {*ERRORS, *WARNINGS}


def test_all_findings_come_at_once() -> None:
    """Faults of several kinds in one table are all reported, errors and warnings."""
    table = TABLE | {
        choose: by("kind", {Kind.WORK: use}),
        write_text: by("urgent", {True: use, False: close}),
        pair: then(choose, on_error={"ValueError": close}),
        lonely: END,
    }

    codes = {finding.code for finding in find(table, claims=(always(ask),), note=None, silence=("nothing",))}

    assert codes == {
        "missing-member",
        "unwritten-branch",
        "bad-error-row",
        "unbounded-cycle",
        "unreachable",
        "broken-claim",
        "unnoted-errors",
        "unknown-silence",
    }


def test_a_finding_reads_as_level_code_fact_and_fix() -> None:
    """The text of a finding says level, code, what was found and what to do, then the rows that show it."""
    (finding,) = find(TABLE | {pair: then(choose)})

    head, *rows = str(finding).splitlines()
    assert head.startswith(
        "error unbounded-cycle: 'choose', 'use', 'pair' lead back to 'choose' without a bounded row; make"
    )
    assert rows == [
        "      choose -> use  [kind = Kind.WORK]",
        "      use -> pair",
        "      pair -> choose",
    ]
    assert finding.places == ("choose", "use", "pair")
    assert [row.source for row in finding.path] == ["choose", "use", "pair"]


@pytest.mark.parametrize(
    ("mutate", "fix"),
    [
        (lambda: find(TABLE | {choose: by("kind", {"work": use, Kind.ASK: ask})}), "write Kind.WORK"),
        (lambda: find(TABLE | {ask: by("verdict.alowed", {True: use, False: close})}), "did you mean 'allowed'?"),
        (lambda: find(TABLE | {ask: by("verdct.allowed", {True: use, False: close})}), "did you mean 'verdict'?"),
        (lambda: find(TABLE | {use: then(unasked), unasked: then(pair)}), "did you mean 'items'?"),
        (lambda: find(silence=("idle-bond",)), "did you mean 'idle-bound'?"),
        (lambda: find(TABLE | {use: then(pair, on_error={(KeyError, OSError): close})}), "a row for each class"),
        (
            lambda: find(TABLE | {use: then(pair, on_error={KeyboardInterrupt: close})}),
            "a subclass of Exception; for cancelling there is on_cancel=...",
        ),
        (
            lambda: find(TABLE | {ask: by("zzzzzz", {True: use})}),
            f"fields of State: {', '.join(attrs.fields_dict(State))}",
        ),
    ],
)
def test_the_fix_names_what_is_near(mutate: Callable[[], tuple[Finding, ...]], fix: str) -> None:
    """A misspelt name or a value of another type is answered with the right one."""
    (finding,) = mutate()

    assert finding.fix == fix


def test_a_misspelt_member_is_one_finding_not_two() -> None:
    """The member that a wrong label stands for is not reported as missing as well."""
    (finding,) = find(TABLE | {choose: by("kind", {Kind.WORK: use, "Kind.AKS": ask})})

    assert finding.code == "unknown-member"
    assert finding.fix == "write Kind.ASK"


def test_a_missing_member_is_covered_by_otherwise() -> None:
    """`otherwise` stands for every member without a row."""
    assert find(TABLE | {choose: by("kind", {Kind.WORK: use}, otherwise=ask)}) == ()


def test_a_place_that_writes_anything_is_held_to_the_type_of_the_field() -> None:
    """Where a place declares nothing, the branch has to be total over the field's own type."""
    table = {choose_any: by("kind", {Kind.WORK: use, Kind.ASK: ask})} | leave_out(choose) | {pair: then(close)}

    (finding,) = find(table, start=choose_any, claims=())

    assert finding.code == "missing-member"
    assert finding.found == "'choose_any' has no row for Kind.STOP, None of 'kind'"


def test_a_pause_may_catch_an_answer_that_the_state_refuses() -> None:
    """The one failure that a pause can have is that the state class refuses the answer."""
    assert find(TABLE | {ask: by("verdict.allowed", {True: use, False: close}, on_error={UpdateError: close})}) == ()


def test_parts_of_a_part_are_checked_too() -> None:
    """A set of parts that is itself a part is held to the same rules."""
    outer = together(clash, node(close, name="beside"), name="outer")

    findings = find(TABLE | {pair: then(outer), outer: SOUND_LOOP})

    assert [(finding.code, finding.places) for finding in findings] == [
        ("overlapping-writes", ("clash", "write_left", "again"))
    ]


def test_reading_a_bad_return_annotation_is_no_reason_to_call_a_part_undeclared() -> None:
    """A part whose annotation cannot be read is one finding."""
    outer = together(write_left, write_number, name="outer")

    assert {finding.code for finding in find(TABLE | {pair: then(outer), outer: SOUND_LOOP})} == {"bad-return"}


def test_paths_are_not_judged_where_a_branch_cannot_be_spread_out() -> None:
    """`otherwise` of a branch on an open type stands for no rows, so what it leads to is not called unreachable."""
    findings = find(TABLE | {use: write_text, write_text: by("text", {"": close}, otherwise=pair)})

    assert [finding.code for finding in findings] == ["open-branch"]


def test_paths_are_not_judged_where_a_target_is_lost() -> None:
    """A target that is no place leaves others unreachable; that is a consequence and not reported."""
    codes = [finding.code for finding in find({choose: by("kind", {Kind.WORK: "use", Kind.ASK: "ask"}), close: END})]

    assert codes == ["not-a-place", "not-a-place"]


def test_a_silenced_warning_is_not_reported() -> None:
    """Warnings can be silenced by code; the others stay."""
    table = TABLE | {ask: by("verdict.allowed", {True: use, False: use})}

    assert [finding.code for finding in find(table, note=None)] == ["one-way-branch", "unnoted-errors"]
    assert [finding.code for finding in find(table, note=None, silence=("one-way-branch",))] == ["unnoted-errors"]


def test_a_silenced_error_is_reported_all_the_same() -> None:
    """An error cannot be silenced, and trying is an error itself."""
    codes = [finding.code for finding in find(TABLE | {lonely: END}, silence=("unreachable",))]

    assert codes == ["unreachable", "unknown-silence"]


def test_cancel_rows_do_not_count_as_a_way_to_end() -> None:
    """A place that only a cancelled run can leave is a finding."""
    stuck = TABLE | {use: then(lonely), lonely: then(lonely)}

    findings = find(stuck, claims=(), on_cancel=close, silence=("idle-bound",))

    assert [(finding.code, finding.places) for finding in findings] == [
        ("unreachable", ("pair",)),
        ("no-end", ("use", "lonely")),
    ]


def test_findings_are_equal_and_pickle() -> None:
    """Checking the same table twice gives equal findings, and a finding survives a pickle."""
    findings = find(leave_out(close))

    assert findings == find(leave_out(close))
    assert pickle.loads(pickle.dumps(findings)) == findings  # noqa: S301  # made in this line
