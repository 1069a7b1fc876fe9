"""The progress bar: to standard error, if at all, and in the form that suits where it goes."""

import contextlib
import io
import sys
import time

import pytest

from disjoint_centroids.progress import Progress, _duration

pytestmark = pytest.mark.filterwarnings("error")


class Terminal(io.StringIO):
    def isatty(self):
        return True


def run(total, ticks, enabled=True):
    with Progress("folding", total, enabled=enabled) as bar:
        for _ in range(ticks):
            bar.tick()
    return bar


def test_a_log_file_gets_a_line_a_step(capsys):
    run(4, 4)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 5
    for step, line in enumerate(lines):
        assert line.startswith("folding [")
        assert f" {step}/4 " in line
        assert line.endswith(" s left" if 0 < step < 4 else " s")
    assert "\r" not in err


def test_a_log_file_gets_a_line_for_each_tenth_of_quick_work(capsys):
    run(1000, 1000)
    assert len(capsys.readouterr().err.splitlines()) == 11


def test_a_log_file_is_not_silent_for_long(capsys, monkeypatch):
    clock = iter(range(0, 10**6, 7))  # seconds; the clock is read several times a step
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    run(1000, 1000)
    assert len(capsys.readouterr().err.splitlines()) == 101


@pytest.mark.parametrize(("seconds", "text"), [(3.21, "3.2 s"), (600, "10 min"), (7200, "2.0 h")])
def test_durations(seconds, text):
    assert _duration(seconds) == text


def test_a_terminal_gets_one_line_redrawn(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    run(4, 4)
    shown = sys.stderr.getvalue()
    assert shown.count("\r") == 5
    assert shown.count("\n") == 1
    assert shown.endswith("\n")


def test_a_bar_within_another_has_a_line_of_its_own(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress("choosing", 2, enabled=True) as bar:
        bar.tick()
        run(3, 3)
        bar.tick()
    run(1, 1)
    lines = [line.strip().split("\r")[-1] for line in sys.stderr.getvalue().split("\n")]
    assert [line.split(" [")[0] for line in lines] == ["choosing", "folding", "choosing", "folding", ""]
    assert all(text.count("choosing") * text.count("folding") == 0 for text in sys.stderr.getvalue().split("\n"))
    assert "] 3/3 " in lines[1]


def test_the_bar_fills_from_left_to_right(capsys):
    run(4, 4)
    bars = [line[line.index("[") + 1 : line.index("]")] for line in capsys.readouterr().err.splitlines()]
    assert len({len(bar) for bar in bars}) == 1
    assert bars[0] == "-" * len(bars[0])
    assert bars[-1] == "#" * len(bars[0])
    filled = [bar.count("#") for bar in bars]
    assert filled == sorted(filled)
    assert all(bar == "#" * n + "-" * (len(bar) - n) for bar, n in zip(bars, filled, strict=True))


def test_the_bar_is_full_at_the_end_even_if_some_steps_were_not_needed(capsys):
    with Progress("choosing", 40, enabled=True) as bar:
        bar.tick()
    assert capsys.readouterr().err.splitlines()[-1].startswith("choosing [##############################] 40/40")
    with contextlib.suppress(KeyError), Progress("choosing", 40, enabled=True) as bar:
        bar.tick()
        raise KeyError
    assert " 40/40" not in capsys.readouterr().err


def test_silence_if_nobody_asked(capsys):
    bar = run(3, 3, enabled=False)
    assert capsys.readouterr() == ("", "")
    assert bar.done == 3


def test_silence_on_a_terminal_if_nobody_asked(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    run(3, 3, enabled=False)
    assert sys.stderr.getvalue() == ""


def test_nothing_to_do(capsys):
    run(0, 0)
    assert "0/0" in capsys.readouterr().err


def test_an_error_passes_through_and_leaves_a_clean_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(KeyError), Progress("folding", 3, enabled=True) as bar:
        bar.tick()
        raise KeyError("stop")
    assert sys.stderr.getvalue().endswith("\n")


def test_what_is_left_is_estimated_by_the_kinds_of_steps(capsys):
    with Progress("fitting", {"slow": 2, "quick": 10}, enabled=True) as bar:
        bar.tick("slow", 9.0)
        assert bar._left_per_done() == pytest.approx((9 + 10 * 9) / 9)  # nothing is known of the quick ones yet
        bar.tick("quick", 1.0)
        assert bar._left_per_done() == pytest.approx((9 + 9 * 1) / 10)
        for _ in range(9):
            bar.tick("quick", 1.0)
        assert bar._left_per_done() == pytest.approx(9 / 19)
        bar.tick("slow", 9.0)
    assert "12/12" in capsys.readouterr().err
