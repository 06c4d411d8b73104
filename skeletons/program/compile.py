"""From a file and its facts to a program for a target."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skeletons.body.ordered_reductions import ordered_view
from skeletons.body.outer_vectorisation import Lanes
from skeletons.body.outline import insertion_point, outline, start_of_function
from skeletons.body.simd_sums import BY_TENSOR_CORES, ROUNDED_OTHERWISE, InnerSums, simd_flags, with_sums
from skeletons.catalogue.descriptor import Skeleton, Target
from skeletons.catalogue.file_names import checked_source
from skeletons.catalogue.library import Library
from skeletons.catalogue.passes import DETERMINISTIC, LANES, LIBRARY, ORDER, THRESHOLD, VECTORISE
from skeletons.catalogue.rendering import render
from skeletons.kernel.atomics import AtomicFunction
from skeletons.kernel.context import Subject
from skeletons.kernel.extents import found_at_run_time
from skeletons.kernel.prelude import Prelude, framed
from skeletons.kernel.shares import divided, shared
from skeletons.kernel.spelling import user_words, written_tests
from skeletons.kernel.tables import copies_of
from skeletons.program.external_names import hidden_parameters, mark_of
from skeletons.program.host import begun_later, host_view
from skeletons.program.host_file import HostFile
from skeletons.program.host_versions import THREADS, HostVersions
from skeletons.program.instantiate import instantiate
from skeletons.program.library_files import library_files
from skeletons.program.manifest import SUFFIX, manifest
from skeletons.program.overrides import (
    check_orders,
    check_overrides,
    check_partition,
    check_taken,
    takes_nests,
    why_left,
)
from skeletons.program.profit import Profit
from skeletons.program.requested import check_wanted
from skeletons.program.threads import views
from skeletons.program.unused_declarations import (
    unused_before,
    unused_functions,
    unused_iterators,
    unused_variables,
)
from skeletons.schedule.emit.sizes import Sizes, new_numbers
from skeletons.schedule.host_nests import HostNests
from skeletons.schedule.host_sums import HostSums
from skeletons.schedule.products import Products
from skeletons.schedule.schedules import Rescheduled, Scheduler, in_place
from skeletons.schedule.transform import jam
from skeletons.select.api import Choice, CompileOptions, KernelCopies, Program, Residence
from skeletons.select.clauses import clauses, construct
from skeletons.select.feedback import TEMPLATE, Trial, trial
from skeletons.select.launch_threshold import too_few
from skeletons.select.parameters import check_parameters, parameters_of
from skeletons.select.select import select
from skeletons.select.tuned import TuningKey, product_tuning
from skeletons.select.versions import versioned, versioned_nests
from species.analysis.user_directives import calls_openmp
from species.annotate.named_conditions import NamedConditions
from species.core.positions import Span
from species.core.refusal import Refusal
from species.facts import Scop
from species.facts.loops import CopyPlan, LoopFacts, UnitFacts
from species.row_tests import called_in
from species.source.places import told_by_place
from species.source.syntax.declarations import Declarations
from species.source.text.code import names_in, starts_line
from species.source.text.edits import Edit
from species.source.text.rewriting import Rewriting

if TYPE_CHECKING:
    from skeletons.program.device_kernel import DeviceKernel
    from species.source import TranslationUnit

_DEVICE_ROLES = frozenset({"device", "launch"})  # of pieces in files that have the prelude
_ERRNO = frozenset({"errno", "__errno_location", "perror", "err", "errx", "warn", "warnx", "error", "syslog"})


def compile_unit(
    unit: TranslationUnit,
    facts: UnitFacts,
    plan: CopyPlan,
    target: str,
    library: Library,
    options: CompileOptions,
    residence: Residence | None = None,
    rewritings: tuple[Rewriting, ...] = (),
) -> Program:
    """Write the program that runs the kernels of `unit` on `target`; nothing is written to disk.

    `plan` says what moves to an accelerator and back, and `residence` what stays there between kernels (None:
    nothing); other targets do not look at them.  By the `rewritings`, the last one first, the text of `unit`
    came from the user's.

    Raises SkeletonError for an unknown target or parameter, for templates that fail, and for skeletons that
    the user wants and that do not fit.
    """
    check_parameters(target, library, options)
    check_overrides(target, library, options)
    wanted = library.target(target)
    check_wanted(wanted, options)
    cores = wanted.schedules or (wanted.accelerator and options.machine.device(target).kind == "cpu")
    reorder = not options.strict_fp and VECTORISE not in options.without
    sums = InnerSums(unit, facts, reorder=reorder and cores, alone=wanted.accelerator)
    host = HostFile(unit, wanted, rewritings)
    profit = Profit(unit, facts, wanted, options)
    writer = _Writer(unit, plan, wanted, library, options, Declarations.of(unit.ast), sums, host, profit)
    writer.residence = residence if wanted.accelerator else None
    if cores and LANES not in options.without:
        writer.lanes = Lanes(unit, facts, wanted, options.machine)
    kernels = [loop for loop in map(writer.with_scheme, facts.loops) if loop.kernel is not None]
    if wanted.accelerator and options.beside and options.comm == "static" and writer.residence is not None:
        writer.versions = HostVersions(unit, facts, library, options)
        plain = InnerSums(unit, facts, reorder=reorder, alone=False)
        if options.beside == THREADS and DETERMINISTIC not in options.wanted:
            writer.host_nests = HostNests(Scheduler(unit, facts, options, writer.products, plain))
    writer.profit.leave(kernels, lambda loop: writer.subject(loop)[1], resident=writer.residence is not None)
    for scop in facts.scops if writer.target.schedules else ():
        inside = _is_inside_parallel(scop, facts) or writer.profit.leaves(scop)
        if not inside and takes_nests(scop, facts, options):
            writer.add_nests(scop, facts)
    for loop in kernels:
        if not writer.has_replaced(loop):
            writer.add(loop)
    check_taken(writer.choices, facts.loops, options)
    check_partition(writer.choices, options)
    check_orders(writer.choices, options)
    if wanted.accelerator and reorder:
        writer.host_sums = HostSums(unit, facts, options.machine, writer.products, sums)
    files = writer.files()
    copies = tuple(writer.copies) if wanted.accelerator else ()
    replaced = (*writer.replaced, *writer.on_host)
    return Program(files, tuple(writer.choices), replaced, copies, tuple(host.asked()))


@dataclass
class _Writer:
    """Collects edits of the host file and the pieces of generated files, kernel by kernel."""

    unit: TranslationUnit
    plan: CopyPlan
    target: Target
    library: Library
    options: CompileOptions
    declarations: Declarations
    sums: InnerSums
    host: HostFile
    profit: Profit
    pieces: list[dict[str, str]] = field(default_factory=list)
    kernels: list[dict[str, Any]] = field(default_factory=list)
    prelude: Prelude = field(default_factory=Prelude)
    subjects: list[Subject] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    replaced: list[LoopFacts] = field(default_factory=list)
    nests: list[Scop] = field(default_factory=list)
    kept: list[LoopFacts] = field(default_factory=list)  # as they are, by the host
    lanes: Lanes | None = None
    host_sums: HostSums | None = None
    on_host: list[LoopFacts] = field(default_factory=list)  # nests of which only the sums are written anew
    residence: Residence | None = None
    versions: HostVersions | None = None
    host_nests: HostNests | None = None
    host_nest: Rescheduled | None = None  # of the kernel that is written
    shares: dict[str, str] = field(default_factory=dict)  # kernels, and how devices share them, or why not
    copies: list[KernelCopies] = field(default_factory=list)
    _fitted: tuple[dict[str, Any], dict[str, str], Prelude] | None = None

    def __post_init__(self) -> None:
        self.named = NamedConditions(self.unit)

    def with_scheme(self, loop: LoopFacts) -> LoopFacts:
        """A serial loop with the kernel of its pattern, where the target has skeletons for it."""
        patterns, scheme = self.library.patterns(self.target.name), loop.scheme
        if scheme is None or scheme.pattern is None or scheme.pattern.kind not in patterns:
            return loop
        return replace(loop, kernel=scheme, conditions=scheme.conditions)

    def has_replaced(self, loop: LoopFacts) -> bool:
        """Has the loop, one around it or one inside been replaced, or left to the host?"""
        spans = [r.spans.whole for r in (*self.replaced, *self.kept) if r.spans]
        own = loop.spans.whole if loop.spans else Span(-1, -1)
        return any(one.start < own.end and own.start < one.end for one in spans)

    def add_nests(self, scop: Scop, facts: UnitFacts) -> None:
        """Put a static control part in a better order, if there is one."""
        scheduler = Scheduler(self.unit, facts, self.options, self.products, self.sums)
        found = scheduler.rescheduled(scop, len(self.replaced) + 1)
        if found is None or told_by_place(self.unit, scop.span.of(self.unit.source.text)):
            return
        original = scop.span.of(self.unit.source.text)
        # The owner stands for all nests; the loop that it was says how many iterations there are.
        first = next((loop for loop in facts.loops if loop.id == found.owner.id), found.owner)
        tried = self._trial(original + found.text, first) if not found.rounds_otherwise else None
        often = self.options.part or self.profit.worth(found.owner).often
        versions = versioned_nests(found.text, original, tried) if often else found.text
        text = in_place(self.unit.source.text, scop.span, versions)
        self.host.put(scop.span, text)
        self.nests.append(found.scop)
        self.host.sized += [scop.span.start] if found.sized else []
        if found.functions:
            point = start_of_function(self.unit, scop.span.start)
            self.host.functions.append((point, found.functions.rstrip("\n") + "\n\n"))
        assert found.owner.kernel is not None
        self.replaced.append(found.owner)
        self.choices.append(Choice(found.owner.kernel, found.skeleton, found.why, steps=found.steps))

    def subject(self, facts: LoopFacts) -> tuple[LoopFacts, Subject]:
        """What skeletons see of a kernel, and its loop with all that a program has to ask for."""
        assert facts.kernel is not None
        if self.target.accelerator and facts.kernel.provided:  # else nobody knows what to copy
            conditions = (*facts.kernel.conditions, *facts.kernel.provided)
            facts = replace(facts, kernel=replace(facts.kernel, conditions=conditions))
        whole, (facts, packed) = facts, found_at_run_time(facts, self.options.comm)
        assert facts.kernel is not None
        copies = copies_of(facts.kernel, self.plan[facts.kernel.name])
        known = self._known(facts)
        subject = Subject(
            *(self.unit, self.declarations, facts, facts.kernel, self.target, copies, known),
            device=self.options.machine.device(self.target.name).kind,
            reorder=not self.options.strict_fp and VECTORISE not in self.options.without,
            jam=jam.NAME not in self.options.without,
            packed=packed,
            in_lanes=self.lanes.within(facts.kernel.loops[0].spans.whole) if self.lanes is not None else (),
        )
        if self.target.accelerator and self.options.devices != 1:
            axis = self.options.partition.get(subject.kernel.name, "")
            subject, self.shares[subject.kernel.name] = shared(subject, self.plan, axis)
        return whole, subject

    def add(self, loop: LoopFacts) -> None:
        """Choose a skeleton for a kernel and keep what it renders."""
        whole, subject = self.subject(loop)
        facts = subject.facts
        if said := why_left(subject.kernel.name, self.options) or self.profit.why_left(loop):
            self.kept.append(loop)
            self.choices.append(Choice(subject.kernel, None, (("kernel", False, said),)))
            return
        self._fitted = None
        choice = select(subject, self.library, self.options, self._try)
        if choice.skeleton is not None:
            assert self._fitted is not None
            part, said = self._divide(subject, choice)
            choice = replace(choice, why=(*choice.why, *said))
            rounds = self._order_on_host(part, choice)
            context, pieces, self.prelude = self._fitted
            self.kernels.append(context)
            self.pieces.append(pieces)
            self.subjects.append(subject)
            self.replaced.append(replace(self._with_sums(subject, rounds), kernel=whole.kernel))
            self.copies.append(
                KernelCopies(subject.kernel.name, subject.line, subject.copies, self._why(facts))
            )
            self._edit(subject, pieces)
            self.host.sized += [subject.span.start] if self._is_sized(subject, pieces) else []
            choice = replace(choice, why=(*choice.why, *self._why_lanes(subject), *self._why_shared(subject)))
        self.choices.append(choice)

    def _divide(self, subject: Subject, choice: Choice) -> tuple[Subject, tuple[tuple[str, bool, str], ...]]:
        """Let a launch leave some of the iterations to the host, where a kernel has versions and can: what is
        written, and what is said of it.
        """
        assert self._fitted is not None and choice.skeleton is not None and choice.key is not None
        kernel = self._fitted[0].get("kernel")
        if kernel is None or kernel.versions is None:
            return subject, ()
        part, why = divided(subject, self.plan)
        if part is not None:
            try:
                self._try(part, choice.skeleton, choice.key)
            except Refusal as refusal:
                part, why = None, str(refusal)
        return part or subject, (("split", part is not None, why),)

    def _order_on_host(self, subject: Subject, choice: Choice) -> bool:
        """Write the host's version of a kernel in the best order for threads, if there is a better one: may
        sums be rounded otherwise then?
        """
        assert self._fitted is not None and choice.skeleton is not None and choice.key is not None
        context = self._fitted[0]
        kernel = context.get("kernel")
        if kernel is None or kernel.versions is None or self.versions is None or self.host_nests is None:
            return False
        whole, skipped = _whole(subject), context["host"].at if kernel.divides else ""
        found = self.host_nests.of(whole.span, skipped)
        if found is None or not self.versions.pays(found):
            return False
        self.host_nest = found
        self._try(subject, choice.skeleton, choice.key)
        self.host_nest = None
        if found.functions:
            point = start_of_function(self.unit, whole.span.start)
            self.host.functions.append((point, found.functions.rstrip("\n") + "\n\n"))
        self.nests.append(found.scop)
        return found.rounds_otherwise

    def _why_lanes(self, subject: Subject) -> tuple[tuple[str, bool, str], ...]:
        """What is said of iterations side by side, of the loops where it could be so."""
        assert self._fitted is not None
        context, pieces, _ = self._fitted
        if self.lanes is None:
            return ()
        if self.target.accelerator:
            return self.lanes.why(subject.span, context["kernel"].in_lanes)
        return self.lanes.why(subject.span) if self._loop(subject) in pieces.get("host", "") else ()

    def _why_shared(self, subject: Subject) -> tuple[tuple[str, bool, str], ...]:
        """Whether the devices of the program share the kernel's iterations, where it has several."""
        said = self.shares.get(subject.kernel.name)
        return (("devices", subject.shared is not None, said),) if said is not None else ()

    def _why(self, facts: LoopFacts) -> str:
        """Why data of a loop's kernel does not stay on the device."""
        return self.residence.why(facts) if self.residence is not None else f"--comm {self.options.comm}"

    def _known(self, facts: LoopFacts) -> frozenset[str]:
        """The arrays of a kernel that host code knows by the address that the kernel gets."""
        if self.residence is None or facts.kernel is None:
            return frozenset()
        return frozenset(a.name for a in facts.kernel.arrays if self.residence.knows(facts, a.name))

    def _with_sums(self, subject: Subject, rounds: bool) -> LoopFacts:
        """The loop; if sums inside round in another way, all that is written, as it may depend on one.

        `rounds`: they do in the host's version.
        """
        texts = "".join(self._fitted[1].values()) if self._fitted is not None else ""
        inside = rounds or any(mark in texts for mark in ROUNDED_OTHERWISE)
        if self._marked(subject, ()) == subject.span.of(subject.text) and not inside:
            return subject.facts
        return with_sums(subject.facts, subject.kernel)

    def _try(self, subject: Subject, skeleton: Skeleton, key: TuningKey) -> str:
        """Render all roles of a skeleton; Refusal where this is not possible.

        The result is the function of a library that the kernel calls, or nothing.
        """
        moved = told_by_place(self.unit, subject.span.of(subject.text))
        if moved:
            raise Refusal(f"{moved} means something else in generated code")
        tests = called_in("\n".join(subject.kernel.conditions))
        if taken := (user_words(self.unit) - {*written_tests(self.unit)}).intersection(tests):
            raise Refusal(f"generated code has a {', '.join(taken)} of its own")
        context: dict[str, Any] = {"p": parameters_of(skeleton, self.options, key)}
        directive = self.versions.directive(_whole(subject)) if self.versions is not None else ""
        loop = self._loop(subject, shared=bool(directive))
        keeps = self._why(subject.facts) == ""
        context |= {"strict_fp": self.options.strict_fp, "keeps": keeps, "machine": self.options.machine}
        prelude, passing = self.prelude, Prelude().passing
        if self.target.dialect is not None:
            instance = instantiate(subject, skeleton, self.options.comm)
            self._check_order(instance.kernel.atomics)
            kernel = self._left(subject, self._in_order(instance.kernel, skeleton), skeleton)
            context |= {"kernel": kernel, "renames": instance.renames}
            if kernel.divides:
                loop = self._from_part(subject, loop, kernel)
            loop = directive + loop if kernel.versions is not None else loop
            loop = self.host_nest.text if self.host_nest is not None else loop
            prelude, passing = prelude.joined(instance.prelude), instance.prelude.passing
        else:
            ordered = ordered_view(subject) if DETERMINISTIC in self.options.wanted else None
            fits = skeleton.templates.get("host") == TEMPLATE
            tried = self._trial(subject.span.of(subject.text), subject.facts) if fits else None
            asked, others = self._versions(subject, tried)
            context |= {"clauses": self._clauses(subject, tried), "ordered": ordered}
            context |= {"asked": asked, "others": others, "trial": tried}
            context["construct"] = construct(subject, reorder=self.sums.reorder)
            context |= views(subject, skeleton, self.profit, self.options)
            if "outline" in skeleton.templates:
                context |= {"outline": outline(subject)}
        context["host"] = host_view(subject, loop, self.host.prefix if self.residence else "")
        roles = skeleton.templates.items()
        pieces = {role: render(t, skeleton.folder, self.target.name, **context) for role, t in roles}
        pieces |= {role: framed(pieces[role], passing) for role in _DEVICE_ROLES & pieces.keys()}
        if context.get("ordered") is not None:
            context["ordered"].check(pieces["host"])
        self._fitted = (context, pieces, prelude)
        product = context["kernel"].product if "kernel" in context else None
        return product.function if product is not None else ""

    def _in_order(self, kernel: DeviceKernel, skeleton: Skeleton) -> DeviceKernel:
        """The kernel with the order of threads that the user wants for it."""
        if skeleton.asked_for != ORDER:
            return kernel
        orders = self.options.orders
        if (order := orders.get(kernel.name) or orders.get("")) is None:
            raise Refusal("no order of its threads is named")
        return replace(kernel, order=order)

    def _left(self, subject: Subject, kernel: DeviceKernel, skeleton: Skeleton) -> DeviceKernel:
        """The kernel, which may be left to the host when the program runs, if nothing speaks against it: for
        its version there, or where there is little to do.
        """
        several = kernel.shares is not None and self.versions is None  # devices have the iterations
        if kernel.may_refuse or kernel.inspection or kernel.whole_units or several:
            return kernel
        versions = self.versions.of(_whole(subject), skeleton) if self.versions is not None else None
        if versions is not None or THRESHOLD in self.options.without:
            return replace(kernel, versions=versions)
        return replace(kernel, few=too_few(subject, self.options.machine))

    def _from_part(self, subject: Subject, loop: str, kernel: DeviceKernel) -> str:
        """The text of a loop that begins with the iteration that the host is to make first; Refusal where its
        header cannot say that, where data does not stay on the device, or where that launches several kernels
        for it, of which one alone would be timed.
        """
        if kernel.turns:
            raise Refusal("matrices are transposed before it")
        if self._why(subject.facts):
            raise Refusal(f"data does not stay on the device: {self._why(subject.facts)}")
        whole = _whole(subject)
        return begun_later(loop, whole, host_view(whole, loop, self.host.prefix).at)

    def _trial(self, text: str, loop: LoopFacts) -> Trial | None:
        """What notes how long loops with a text take; None where that is not wanted."""
        return trial(self.unit, text, loop, self.profit.worth(loop)) if self.options.measures else None

    def _clauses(self, subject: Subject, tried: Trial | None = None) -> tuple[str, ...]:
        found = clauses(subject, self.profit.worth(subject.facts))
        return tried.asking(found) if tried else found

    def _versions(self, subject: Subject, tried: Trial | None) -> tuple[str, tuple[str, ...]]:
        often, part = self.profit.worth(subject.facts).often, self.options.part
        return versioned(subject, self._clauses(subject, tried), often=often, part=part)

    def _check_order(self, functions: tuple[AtomicFunction, ...]) -> None:
        """Refusal where atomic functions combine numbers in any order, and that is not to be."""
        if DETERMINISTIC in self.options.wanted and any(function.is_float for function in functions):
            raise Refusal("threads would combine floating-point numbers in any order (--with deterministic)")

    def _loop(self, subject: Subject, *, shared: bool = False) -> str:
        """The text of a loop with what makes vectors of sums inside, and of iterations side by side; without
        what is for the loop itself, where the host's threads have it `shared`.
        """
        if self.target.accelerator:
            return self.sums.within(subject.span, frozenset({subject.span.start} if shared else ()))
        return self._marked(subject, self.lanes.edits(subject.span) if self.lanes is not None else ())

    def _marked(self, subject: Subject, replaced: Sequence[Edit]) -> str:
        """With the `replaced` loops and what makes vectors of sums; not between loops that are joined."""
        count = self.profit.worth(subject.facts).joined
        joined = (loop.spans.whole.start for loop in subject.kernel.loops[:count])
        return self.sums.within(subject.span, frozenset(joined), replaced)

    def _edit(self, subject: Subject, pieces: dict[str, str]) -> None:
        text = pieces["host"].rstrip("\n")
        if text.startswith("#") and not starts_line(subject.text, subject.span.start):
            text = "\n" + text
        loop = self._loop(subject)  # a template that keeps the loop keeps every byte of it
        before, kept, after = text.partition(loop)
        conditions, name = subject.kernel.conditions, f"{subject.name}_condition"
        named = self.named.called(subject.facts, conditions, before, name)
        replacement = self.host.newlines(named.text) + kept + self.host.newlines(after)
        if named.functions:
            self.host.put(Span(named.offset, named.offset), named.functions)
        self.host.edits.append(Edit(subject.span, replacement))
        if "outline" in pieces:
            point = insertion_point(subject)
            self.host.put(Span(point, point), pieces["outline"].rstrip("\n") + "\n\n")

    def _is_sized(self, subject: Subject, pieces: dict[str, str]) -> bool:
        """Are numbers part of a kernel that may come from macros?  All launches have some."""
        if self.target.accelerator:
            return True
        joined = clauses(subject, replace(self.profit.worth(subject.facts), asked=""))
        tried = self._fitted[0].get("trial") if self._fitted is not None else None
        limits = (clause for clause in self._clauses(subject, tried) if clause not in joined)
        harmless = (*limits, *(c for c in joined if c.startswith(("collapse(", "schedule("))))
        loop, (asked, _) = self._loop(subject), self._versions(subject, tried)
        written = loop * 2 if asked and f"if ({asked}) {{" in pieces["host"] else loop
        return any(new_numbers(text, written, *harmless) for text in pieces.values())

    def _mention_unused(self) -> None:
        """Keep the compiler from complaining of variables whose only users have left the file."""
        done: set[tuple[str, str]] = set()
        for subject in self.subjects:
            unused = unused_variables(subject, self.host.edits)
            unused += unused_functions(subject, self.prelude.functions, self.host.edits)
            self.host.mention(subject.span, subject.facts.function, unused, done)
        for scop in self.nests:
            unused = unused_iterators(scop, self.unit, self.host.edits)
            self.host.mention(scop.span, scop.function, unused, done)
        every = (unused_before(s, self.host.edits) for s in self.subjects if self.target.accelerator)
        gone = [edit.span for edit in self.host.edits]
        found = dict.fromkeys(edit for edits in every for edit in edits)
        self.host.edits += (e for e in found if not any(s.start < e.span.start < s.end for s in gone))

    def files(self) -> dict[str, str]:
        """All files of the program by relative path."""
        self._mention_unused()
        path = checked_source(Path(self.unit.source.path))
        if self.residence is not None and self.kernels:  # without kernels, there is nobody to ask
            self.host.ask(self.residence, self.replaced, has_units=self._has_units())
        self._add_host_sums()
        if self.versions is not None and self.kernels:
            for mark in list(self.versions.marks(self.host.edits)):
                self.host.put(mark.span, mark.replacement)
        host = self.host.text(path.stem, self.products.prelude() if self.host.functions else "")
        kernels = [context["kernel"] for context in self.kernels if "kernel" in context]
        has_versions = any(kernel.versions for kernel in kernels)
        context = {
            "stem": path.stem,
            "source": path.name,
            "source_dir": str(path.resolve().parent),
            "options": self.options,
            "sets_errno": not self.replaced or _reads_errno(self.unit),
            "has_main": self.unit.defines("main"),
            "mark": mark_of(self.unit, self.options),
            "calls_openmp": calls_openmp(self.unit) or (has_versions and self.options.beside == THREADS),
            "has_versions": has_versions,
            "has_simd": self.target.accelerator and bool(simd_flags(host)),
            "calls_library": self._calls_library(),
            "has_tensor_cores": any(
                BY_TENSOR_CORES in piece["device"] for piece in self.pieces if "device" in piece
            ),
            "kernels": self.kernels,
            "pieces": self.pieces,
            "prelude": self.prelude,
            "copied": Sizes(self.unit).copied(
                name for name, _ in (*self.prelude.macros, *self.prelude.passing)
            ),
            "hidden": hidden_parameters(self.unit, kernels),
            "asks": self.host.prefix if self.residence and self.kernels else "",
            "has_units": self._has_units(),
            "has_tables": any(kernel.tables for kernel in kernels),
        }
        templates = dict(self.target.files)
        templates |= library_files(path.stem, context, accelerator=self.target.accelerator)
        written = {
            name.replace("{stem}", path.stem): _tidy(
                render(text, self.target.folder, self.target.name, **context)
            )
            for name, text in templates.items()
        }
        if has_versions:
            own = zip(kernels, self.pieces, strict=True)
            written[f"{path.stem}{SUFFIX}"] = manifest(path, self.target.name, self.options, own)
        return {f"{path.stem}.c": host, **written}

    def _calls_library(self) -> bool:
        """Are there products that a library computes?"""
        kernels = [context["kernel"] for context in self.kernels if "kernel" in context]
        return any(k.product for k in kernels) or (self.target.schedules and self.products.calls_library)

    def _has_units(self) -> bool:
        """Do kernels use the library of allocation units?"""
        kernels = [context["kernel"] for context in self.kernels if "kernel" in context]
        return any(kernel.may_refuse or kernel.whole_units for kernel in kernels)

    @cached_property
    def products(self) -> Products:
        """The contractions of the file."""
        tuning = product_tuning(self.options.machine, self.options.tuned)
        return Products(self.unit, self.declarations, tuning, library=LIBRARY in self.options.wanted)

    def _add_host_sums(self) -> None:
        """Write the sums anew of nests that stay on the host and do not ask for data in their middle; mark
        those of other loops that are left to it.
        """
        if self.host_sums is None or not self.kernels:
            return
        left = [loop.spans.whole for loop in self.kept if loop.spans]
        for nest in self.host_sums.found([edit.span for edit in self.host.edits], left):
            self.host.put(nest.edit.span, nest.edit.replacement)
            self.host.sized.append(nest.edit.span.start)
            unused = unused_iterators(nest.scop, self.unit, self.host.edits)
            self.host.mention(nest.scop.span, nest.scop.function, unused, set())
            self.on_host.append(nest.owner)
        for loop in self.kept:
            whole = loop.spans.whole if loop.spans else Span(0, 0)
            if self.sums.changes(whole) and not any(edit.span.holds(whole) for edit in self.host.edits):
                self.host.put(whole, self.sums.within(whole))
                self.on_host.append(with_sums(loop, loop.kernel) if loop.kernel else loop)


def _reads_errno(unit: TranslationUnit) -> bool:
    """Could the file see what mathematical functions leave in `errno`?"""
    return "errno" in unit.macros.names or bool(_ERRNO & set(names_in(unit.source.text)))


def _whole(subject: Subject) -> Subject:
    """The kernel of which this is a part, if it is one."""
    return subject.shared.subject if subject.shared is not None else subject


def _is_inside_parallel(scop: Scop, facts: UnitFacts) -> bool:
    """Does it stand in a loop that threads can share as it is?"""
    around = (f.spans.whole for f in facts.loops if f.spans and f.kernel is not None and f.openmp)
    return any(one.start < scop.span.start and scop.span.end <= one.end for one in around)


def _tidy(text: str) -> str:
    """`text` with single blank lines and one newline at its end."""
    return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"
