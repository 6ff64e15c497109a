"""Sounds are made of numbers, and never get in the way."""

import numpy as np
import pytest

from steer_env.play.sounds import RATE, TONES, Sounds, samples

pygame = pytest.importorskip("pygame")


class Mixer:
    """What is asked of pygame's mixer; without a device, nothing works."""

    def __init__(self, has_device=True):
        self.has_device, self.calls, self.played = has_device, [], []

    def init(self, *arguments, **keywords):
        self.calls.append("init")
        if not self.has_device:
            raise pygame.error("no such device")

    def quit(self):
        self.calls.append("quit")

    def Sound(self, buffer):  # noqa: N802 (its name in pygame)
        mixer = self

        class Sound:
            def play(self):
                mixer.played.append(len(buffer))

        return Sound()


@pytest.fixture
def mixer(monkeypatch):
    found = Mixer()
    monkeypatch.setattr(pygame, "mixer", found)
    return found


@pytest.mark.parametrize("name", list(TONES))
def test_tones_are_as_high_and_as_long_as_they_say(name):
    played = samples(TONES[name])
    assert played.dtype == np.int16  # as the mixer expects
    wave = played.astype(float)
    assert len(wave) == sum(round(seconds * RATE) for _, seconds in TONES[name])
    assert 2000 < np.abs(wave).max() < 0.3 * 32767
    frequency, seconds = TONES[name][0]
    first = wave[: round(seconds * RATE)]
    spectrum = np.abs(np.fft.rfft(first, 8 * RATE))
    assert spectrum.argmax() / 8 == pytest.approx(frequency, rel=0.02)
    assert abs(wave[0]) < 10  # no click


def test_nothing_is_opened_while_it_is_off(mixer):
    sounds = Sounds()
    sounds.play("won")
    sounds.close()
    assert (sounds.state, mixer.calls, mixer.played) == ("off", [], [])


def test_it_plays_while_it_is_on(mixer):
    sounds = Sounds(is_on=True)
    sounds.play("won")
    sounds.play("close")
    sounds.toggle()
    sounds.play("won")
    assert (sounds.state, mixer.calls) == ("off", ["init"])
    assert mixer.played == [2 * len(samples(TONES[name])) for name in ("won", "close")]
    sounds.close()
    assert mixer.calls == ["init", "quit"]


def test_without_a_device_it_is_silent(mixer, capfd):
    mixer.has_device = False
    sounds = Sounds(is_on=True)
    for _ in range(3):
        sounds.play("won")
    sounds.toggle()
    sounds.close()
    assert (sounds.state, mixer.calls) == ("none", ["init"])
    assert capfd.readouterr() == ("", "")


def test_a_pygame_without_a_mixer_is_silent(monkeypatch):
    class Missing:
        def __getattr__(self, name):
            raise NotImplementedError("mixer module not available")

    monkeypatch.setattr(pygame, "mixer", Missing())
    sounds = Sounds(is_on=True)
    sounds.play("won")
    assert sounds.state == "none"


def test_what_a_library_writes_about_a_missing_device_is_dropped(mixer, capfd):
    import os

    mixer.init = lambda *arguments, **keywords: os.write(2, b"ALSA lib: cannot find card 0")
    Sounds(is_on=True).play("won")
    os.write(2, b"after")
    assert capfd.readouterr().err == "after"
