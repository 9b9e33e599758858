"""After a run, list the ten slowest files with the slowest test of each. Cells of a notebook count as tests."""

from collections import defaultdict

SECONDS = defaultdict(lambda: defaultdict(float))  # {file: {test: seconds, including setup}}


def pytest_runtest_logreport(report):
    file, _, test = report.nodeid.partition("::")
    SECONDS[file][test] += report.duration


def pytest_terminal_summary(terminalreporter):
    if len(SECONDS) < 2:
        return
    total = sum(sum(tests.values()) for tests in SECONDS.values())
    terminalreporter.section(f"the slowest of {len(SECONDS)} files, {total:.0f} s in all")
    for file, tests in sorted(SECONDS.items(), key=lambda item: -sum(item[1].values()))[:10]:
        slowest = max(tests, key=tests.get)
        detail = f"{tests[slowest]:.1f} s {slowest}"
        terminalreporter.write_line(f"{sum(tests.values()):7.1f} s  {file}  (the slowest of {len(tests)}: {detail})")
