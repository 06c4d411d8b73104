"""Rich consoles that show control characters instead of printing them."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

from cuvier.base.shown import shown


class ShownHook(RenderHook):
    """For `Console.push_render_hook`."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Shown(each) for each in renderables]


@dataclass(frozen=True)
class _Shown:
    """What is laid out as `inner` is, with its texts shown."""

    inner: ConsoleRenderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for each in console.render(self.inner, options):
            yield each if each.control else Segment(shown(each.text), each.style)
