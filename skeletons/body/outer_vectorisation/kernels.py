"""Iterations side by side in kernels for the cores of a CPU."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from skeletons.body.outer_vectorisation.found import rendered
from skeletons.body.outer_vectorisation.view import lanes_view
from skeletons.kernel.context import InLanes, Subject
from species.source.text.code import block, line_indent

VECTORS = "CUVIER_VECTORS"  # before a loop: vectors are to be made of its iterations
STRETCH = ("stretch_begin", "stretch_end")  # what templates call the iterations that a work-item makes


@dataclass
class KernelLanes:
    """Writes the loops of a kernel; `free` gives a name like the one that is wanted which nothing has yet.

    Texts are in the language of the file.  `made`: where those loops begin in the file that are written so.
    """

    subject: Subject
    free: Callable[[str], str]
    made: set[int] = field(default_factory=set)

    def base(self) -> tuple[str, int] | None:
        """The innermost base loop, and how many of its iterations run side by side; None: it is no such loop.

        It declares its iterator.  If it is the only base loop, it makes the iterations of a work-item.
        """
        loops, start = self.subject.kernel.loops, self.subject.kernel.loops[-1].spans.whole.start
        one = next((one for one in self.subject.in_lanes if one.subject.span.start == start), None)
        if one is None or self.subject.scalars("lastprivate", "firstprivate"):
            return None
        return self._text(one, is_base=True, stretch=STRETCH if len(loops) == 1 else None), one.lanes

    def within(self, body: str) -> str:
        """A text with those loops of the file that stand in it once, as they are there."""
        for one in self.subject.in_lanes:
            loop = one.subject.span.of(self.subject.text)
            if body.count(loop) == 1:
                body = body.replace(loop, block(self._text(one), line_indent(body, body.index(loop))))
        return body

    def _text(self, one: InLanes, *, is_base: bool = False, stretch: tuple[str, str] | None = None) -> str:
        """With `stretch`, only from iteration number `stretch[0]` to before number `stretch[1]`."""
        kernel = one.subject.kernel
        loop = kernel.loops[0]
        ctype = one.subject.canonical(loop.ctype, loop.iterator)
        loop = replace(loop, ctype=ctype, declared_inside=is_base or loop.declared_inside)
        subject = replace(one.subject, kernel=replace(kernel, loops=(loop, *kernel.loops[1:])))
        view = lanes_view(subject, one.lanes, self.free)
        if stretch is not None:
            first, end = stretch
            view = replace(view, strips=replace(view.strips, first=first, count=end))
        self.made.add(one.subject.span.start)
        return rendered(subject, view, VECTORS)
