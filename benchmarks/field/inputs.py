"""What the hot commands of packages read: text, sound and a picture, always the same."""

from __future__ import annotations

import math
import random
import wave
from array import array
from pathlib import Path

_RATE = 44100
_SIDE = 2400


def inputs(work: Path) -> dict[str, str]:
    """The files, made where they are not there yet, by the names that commands have for them."""
    folder = work / "inputs"
    folder.mkdir(exist_ok=True)
    made = {"TEXT": _text, "SOUND": _sound, "PICTURE": _picture}
    places = {name: folder / name.lower() for name in made}
    for name, place in places.items():
        if not place.exists():
            made[name](place)
    return {name: str(place) for name, place in places.items()}


def _text(place: Path) -> None:
    """About 12 MB in which words come again."""
    chance = random.Random(1)
    words = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(4000)]
    place.write_text(" ".join(chance.choices(words, weights=range(4000, 0, -1), k=1_800_000)))


def _sound(place: Path) -> None:
    """A minute of 16-bit stereo: tones that glide, and noise."""
    chance, samples = random.Random(2), array("h")
    for k in range(60 * _RATE):
        t = k / _RATE
        tone = math.sin(2 * math.pi * t * (220 + 3 * t)) * 9000
        samples.extend((int(tone + chance.gauss(0, 400)), int(tone / 2 + chance.gauss(0, 600))))
    with wave.open(str(place), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(_RATE)
        file.writeframes(samples.tobytes())


def _picture(place: Path) -> None:
    """A PPM of waves and grain."""
    chance, pixels = random.Random(3), bytearray()
    for y in range(_SIDE):
        for x in range(_SIDE):
            wave_ = int(110 + 60 * math.sin(x / 37) + 50 * math.cos(y / 23)) + chance.getrandbits(4)
            pixels += bytes((wave_, wave_ // 2, 255 - wave_))
    place.write_bytes(b"P6\n%d %d\n255\n" % (_SIDE, _SIDE) + pixels)
