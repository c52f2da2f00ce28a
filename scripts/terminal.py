"""Records commands in a terminal and draws the recording as an animated SVG. `scripts/readme` uses it.

The commands run one after the other in a pseudo-terminal. `Screen` understands the control sequences that the program
writes and refuses all others. Colours are ignored.
"""

import codecs
import fcntl
import os
import pty
import re
import struct
import termios
import time
from xml.sax.saxutils import escape, unescape

ROWS, COLUMNS = 24, 80
PROMPT = "$ "
# Seconds: between two typed letters, the longest time that a command may take in the picture, the stop after a command.
TYPING, LONGEST, STOP = 0.04, 5.0, 2.5
PICTURES_A_SECOND = 8
# Output that arrives within so many seconds is drawn at once, so that no picture shows a half-written line.
BURST = 0.03
# Units of the SVG: size of a character, and the frame around the screen.
WIDTH, HEIGHT, FRAME = 8.4, 18, 14
CONTROL = re.compile(r"\x1b\[\??([0-9;]*)([A-Za-z])")

STYLE = """svg { --ground: #ffffff; --ink: #24292f; --frame: #d0d7de }
@media (prefers-color-scheme: dark) { svg { --ground: #161b22; --ink: #e6edf3; --frame: #30363d } }
rect { fill: var(--ground); stroke: var(--frame) }
text { fill: var(--ink); font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace }
text { white-space: pre }
#film { animation: play %.2fs step-end infinite }
@media (prefers-reduced-motion: reduce) { #film { animation: none; transform: translateY(%dpx) } }
@keyframes play {
%s
}"""


class Screen:
    """What a terminal shows."""

    def __init__(self):
        self.rows = [""]
        self.row = self.column = 0
        self.unread = ""

    def write(self, text):
        text = self.unread + text
        self.unread = ""
        while text:
            found = CONTROL.match(text)
            if found:
                self._control(int(found[1] or 0), found[2])
                text = text[found.end() :]
            elif text[0] == "\x1b" and len(text) < 8:
                self.unread, text = text, ""
            else:
                self._put(text[0])
                text = text[1:]

    def _put(self, letter):
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self._next_row()
        elif letter.isprintable():
            if self.column == COLUMNS:
                self.column = 0
                self._next_row()
            line = self.rows[self.row].ljust(self.column)
            self.rows[self.row] = line[: self.column] + letter + line[self.column + 1 :]
            self.column += 1
        else:
            raise ValueError(f"the terminal does not know {letter!r}")

    def _next_row(self):
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append("")
        if len(self.rows) > ROWS:
            del self.rows[0]
            self.row = ROWS - 1

    def _control(self, number, name):
        if name == "A":
            self.row = max(0, self.row - max(1, number))
        elif name == "B":
            self.row = min(len(self.rows) - 1, self.row + max(1, number))
        elif name == "K":
            line = self.rows[self.row]
            self.rows[self.row] = "" if number == 2 else line[: self.column]
        elif name == "J" and number == 0:
            del self.rows[self.row + 1 :]
            self.rows[self.row] = self.rows[self.row][: self.column]
        elif name not in "mhl":  # colours, and whether the cursor is shown
            raise ValueError(f"the terminal does not know ESC [ {number} {name}")

    def lines(self):
        return tuple(line.rstrip() for line in self.rows)


def run(command, folder, environment):
    """Runs a command in a terminal. Yields the seconds since its start and what it wrote; fails if the command does."""
    process, terminal = pty.fork()
    if process == 0:
        try:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        finally:
            os._exit(127)
    began = time.monotonic()
    decoder = codecs.getincrementaldecoder("utf-8")()
    while True:
        try:
            data = os.read(terminal, 65536)
        except OSError:  # Linux reports the end of the other side as an error.
            data = b""
        if not data:
            break
        yield time.monotonic() - began, decoder.decode(data)
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if code != 0:
        raise RuntimeError(f"{' '.join(command)}: exit code {code}")


def bursts(output):
    """Joins what is written at once."""
    joined = []
    for seconds, text in output:
        if joined and seconds - joined[-1][0] < BURST:
            text = joined.pop()[1] + text
        joined.append((seconds, text))
    return joined


def record(commands, folder, environment):
    """Pictures as pairs of duration in seconds and lines, and the last picture of each command."""
    screen, film, stills = Screen(), [], []
    for command in commands:
        screen.write(PROMPT)
        for letter in " ".join(command):
            film.append((TYPING, screen.lines()))
            screen.write(letter)
        film.append((10 * TYPING, screen.lines()))
        screen.write("\r\n")
        film += watch(screen, bursts(run(command, folder, environment)))
        stills.append(screen.lines())
        film.append((STOP, screen.lines()))
    return film, stills


def watch(screen, output):
    """The pictures of a command that runs, so many a second; a long command is shown faster than it was."""
    length = output[-1][0]
    pace = max(1.0, length / LONGEST)
    step = pace / PICTURES_A_SECOND
    pictures, drawn = [], 0.0
    for seconds, text in output:
        while drawn + step <= seconds:
            pictures.append((1 / PICTURES_A_SECOND, screen.lines()))
            drawn += step
        screen.write(text)
    return pictures


def svg(film, title):
    """The film as a strip of pictures that moves behind a window."""
    film = joined(film)
    height = ROWS * HEIGHT
    length = sum(seconds for seconds, _ in film)
    known, strip, keys, now = {}, [], [], 0.0
    for number, (seconds, lines) in enumerate(film):
        keys.append(f"{100 * now / length:.2f}% {{ transform: translateY({-number * height}px) }}")
        now += seconds
        rows = [use(known, line, row) for row, line in enumerate(lines) if line]
        strip.append(f'<g transform="translate(0 {number * height})">{"".join(rows)}</g>')
    style = STYLE % (length, -(len(film) - 1) * height, "\n".join(keys))
    texts = [text(name, line) for line, name in known.items()]
    width = COLUMNS * WIDTH
    box = [width + 2 * FRAME, height + 2 * FRAME]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {box[0]:g} {box[1]}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{style}\n</style>",
        "<defs>",
        *texts,
        "</defs>",
        f'<rect x="0.5" y="0.5" width="{box[0] - 1:g}" height="{box[1] - 1}" rx="8"/>',
        f'<svg x="{FRAME}" y="{FRAME}" width="{width:g}" height="{height}">',
        '<g id="film">',
        *strip,
        "</g>",
        "</svg>",
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def joined(film):
    """The film without equal pictures in a row."""
    shorter = []
    for seconds, lines in film:
        if shorter and shorter[-1][1] == lines:
            seconds += shorter.pop()[0]
        shorter.append((seconds, lines))
    return shorter


def use(known, line, row):
    """Draws a line in a row; equal lines are stored once."""
    name = known.setdefault(line, f"l{len(known)}")
    return f'<use href="#{name}" y="{(row + 0.75) * HEIGHT:g}"/>'


def text(name, line):
    """A line whose characters have the same width in any font."""
    width = f'textLength="{len(line) * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs"'
    return f'<text id="{name}" xml:space="preserve" {width}>{escape(line)}</text>'


def texts_of(picture):
    """What each picture of a film that `svg` has drawn says, without ends of lines."""
    known = {name: unescape(line) for name, line in re.findall(r'<text id="(\w+)"[^>]*>(.*)</text>', picture)}
    strip = re.findall(r"<g transform=.*</g>", picture)
    return ["".join(known[name] for name in re.findall(r'href="#(\w+)"', lines)) for lines in strip]
