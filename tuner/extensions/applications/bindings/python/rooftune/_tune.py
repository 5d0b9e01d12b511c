"""The program `tune`: where it is, how it runs, and its faults as exceptions."""

import base64
import ctypes
import os
import pathlib
import re
import shutil
import signal
import subprocess
import webbrowser


class RooftuneError(Exception):
    """A file that is no document of Rooftune, or a run of `tune` that failed.

    code: the exit code of `tune` (docs/records.md), or None; where, hint: the place of the fault and its cure, as
    `tune` names them, or "".
    """

    def __init__(self, message, code=None, hint=""):
        super().__init__(message)
        self.code = code
        # tune: WHERE: MESSAGE and, on a line of its own, hint: CURE
        said = re.findall(r"^tune: (.+?): .*$", message, re.M)
        cures = re.findall(r"^hint: (.*)$", message, re.M)
        self.where = said[-1] if said else ""
        self.hint = hint or (cures[-1] if cures else "")


def program():
    """The path of `tune`: as told, of the same installation, or on the path. Raises RooftuneError."""
    told = os.environ.get("ROOFTUNE_TUNE")
    if told:
        if not shutil.which(told):
            raise RooftuneError(f"ROOFTUNE_TUNE: there is no program {told}")
        return told
    # <prefix>/share/rooftune/python/rooftune/_tune.py, or the same below tuner/extensions/applications/bindings
    parents = pathlib.Path(__file__).resolve().parents
    for height, place in ((4, "bin/tune"), (6, "build/release/bin/tune")):
        if len(parents) > height and (parents[height] / place).is_file():
            return str(parents[height] / place)
    found = shutil.which("tune")
    if not found:
        raise RooftuneError("there is no program tune; install Rooftune or name it with ROOFTUNE_TUNE")
    return found


def results_folder():
    """Where studies go unless --results names another folder."""
    return pathlib.Path(os.environ.get("ROOFTUNE_RESULTS") or "results")


def run(words, show=False, environment=None):
    """Runs `tune` with these words and returns what it printed; show: print each line as it comes.

    An interrupt, and the end of this process, end `tune` as Ctrl-C does: all measurements stay, and the same call goes on
    from them. Raises RooftuneError with the whole output when it fails.
    """
    here, libc = os.getpid(), ctypes.CDLL(None)

    def tie():
        libc.prctl(1, int(signal.SIGINT))  # PR_SET_PDEATHSIG
        if os.getppid() != here:
            os._exit(130)
    # A session of its own: a terminal's Ctrl-C comes once, by the handler below.
    with subprocess.Popen([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True, preexec_fn=tie,
                          env={**os.environ, **(environment or {})}) as child:
        lines = []
        try:
            for line in child.stdout:
                lines.append(line)
                if show or line.startswith("waiting: "):
                    print(line, end="", flush=True)
        except KeyboardInterrupt:
            child.send_signal(signal.SIGINT)
            child.communicate()
            raise
    output = "".join(lines)
    if child.returncode != 0:
        raise RooftuneError(f"tune ended with exit code {child.returncode}:\n{output.strip()}", child.returncode)
    return output


def ask(words):
    """What `tune` prints to its standard output alone. Raises RooftuneError."""
    done = subprocess.run([program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise RooftuneError(f"tune ended with exit code {done.returncode}:\n{(done.stdout + done.stderr).strip()}",
                            done.returncode)
    return done.stdout


def show_page(page):
    """Opens it in a browser and returns its path."""
    webbrowser.open(page.resolve().as_uri())
    return page


def picture(page):
    """The chart beside a page, as HTML; empty where there is none."""
    chart = page and page.with_suffix(".svg")
    if not chart or not chart.is_file():
        return ""
    return f'<img alt="chart" src="data:image/svg+xml;base64,{base64.b64encode(chart.read_bytes()).decode()}">'


def options(named):
    """strategy="random" as --strategy random, no_staircase=True as --no-staircase, lists as repetitions."""
    for name, value in named.items():
        option = "--" + name.replace("_", "-")
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield option
            elif one is not None and one is not False:
                yield from (option, str(one))


def frame_of(rows, frame):
    """A pandas.DataFrame where pandas is and frame is not False, else the list. Raises ImportError if frame is True."""
    if frame is False:
        return rows
    try:
        import pandas
    except ImportError:
        if frame:
            raise
        return rows
    return pandas.DataFrame(rows)
