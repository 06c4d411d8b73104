"""The language server, asked by a real client over its stdin and stdout."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cuvier.base.errors import UserError
from cuvier.cli import build_app
from species.annotate import strip
from tests.support.reporting import SUM

pytest.importorskip("pygls", reason="the extra lsp has it")
from lsprotocol import types
from pygls.lsp.client import LanguageClient

SECONDS = 60  # after which an answer is late


class Editor:
    """A client with one open file."""

    def __init__(self, client: LanguageClient, path: Path) -> None:
        self.client = client
        self.uri = path.as_uri()
        self.file = types.TextDocumentIdentifier(self.uri)
        self.found: asyncio.Queue[list[types.Diagnostic]] = asyncio.Queue()

        @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams) -> None:
            self.found.put_nowait(list(params.diagnostics))

    async def open(self, text: str) -> list[types.Diagnostic]:
        document = types.TextDocumentItem(self.uri, types.LanguageKind.C, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        return await self.found.get()

    async def edit(self, *changes: tuple[int, int, int, str]) -> list[types.Diagnostic]:
        """Each change: a line, from and to which character, and what comes there."""
        parts = [
            types.TextDocumentContentChangePartial(
                types.Range(types.Position(line, start), types.Position(line, end)), text
            )
            for line, start, end, text in changes
        ]
        version = types.VersionedTextDocumentIdentifier(2, self.uri)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(version, parts))
        return await self.found.get()

    async def lenses(self) -> dict[int, str]:
        found = await self.client.text_document_code_lens_async(types.CodeLensParams(self.file))
        return {lens.range.start.line: lens.command.title for lens in found or [] if lens.command}

    async def hover(self, line: int) -> str | None:
        found = await self.client.text_document_hover_async(
            types.HoverParams(self.file, types.Position(line, 8))
        )
        return found.contents.value if found and isinstance(found.contents, types.MarkupContent) else None

    async def actions(self, line: int) -> list[types.CodeAction]:
        place = types.Range(types.Position(line, 0), types.Position(line, 0))
        wanted = types.CodeActionParams(self.file, place, types.CodeActionContext([]))
        found = await self.client.text_document_code_action_async(wanted)
        return [each for each in found or [] if isinstance(each, types.CodeAction)]


@asynccontextmanager
async def editor(path: Path) -> AsyncIterator[Editor]:
    client = LanguageClient("test", "1")
    one = Editor(client, path)
    await client.start_io(sys.executable, "-m", "cuvier", "lsp", "-DN=1000")
    await client.initialize_async(
        types.InitializeParams(types.ClientCapabilities(), root_uri=path.parent.as_uri())
    )
    client.initialized(types.InitializedParams())
    yield one
    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()


def session(path: Path, steps: Callable[[Editor], Awaitable[None]]) -> None:
    async def run() -> None:
        async with editor(path) as one:
            await steps(one)

    asyncio.run(asyncio.wait_for(run(), SECONDS))


def test_an_editor_sees_what_loops_are_and_inserts_a_pragma(tmp_path: Path) -> None:
    path = tmp_path / "a.c"
    text = SUM.replace("i < 1000", "i < N")

    async def steps(one: Editor) -> None:
        assert await one.open(text) == []
        lenses = await one.lenses()
        assert lenses[2].startswith("→ serial: CV203 ")
        assert lenses[7] == "∥ parallel: a[0:999]|element ^ b[0:999]|element -> s[0:0]|shared(+)"
        assert len(lenses) == 6

        told = await one.hover(9)
        assert told is not None and "**for j** in `total`" in told
        told = await one.hover(3)
        assert told is not None
        assert "CV203 line 4: 'a[i]' is written, and read as 'a[i - 1]'" in told
        assert "Two iterations touch the same element" in told  # the page about the reason
        assert await one.hover(0) is None

        assert await one.actions(3) == []
        (action,) = await one.actions(7)
        assert action.edit and action.edit.changes
        (edit,) = action.edit.changes[one.uri]
        assert edit.range.start == edit.range.end == types.Position(7, 0)
        assert edit.new_text == "  #pragma omp parallel for reduction(+:s) /* cuvier */\n"
        lines = text.splitlines(keepends=True)
        assert strip("".join([*lines[:7], edit.new_text, *lines[7:]])) == text

    path.write_text("int other;\n")  # all of it is about the text in the editor
    session(path, steps)
    assert path.read_text() == "int other;\n"


def test_without_pygls_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cuvier.lsp.server", raising=False)
    monkeypatch.setitem(sys.modules, "pygls", None)
    for name in [name for name in sys.modules if name.startswith("pygls.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(UserError, match=r"pip install cuvier\[lsp\]"):
        CliRunner().invoke(build_app(), ["lsp"], catch_exceptions=False)


def test_an_edit_changes_what_is_said(tmp_path: Path) -> None:
    async def steps(one: Editor) -> None:
        await one.open(SUM)
        await one.edit((3, 11, 19, "b[i]"), (0, 0, 0, "/* new */\n"))
        lenses = await one.lenses()
        assert lenses[3].startswith("∥ parallel: b[1:n-1]|element")
        (wrong,) = await one.edit((1, 0, 6, "dubble"))
        assert wrong.severity == types.DiagnosticSeverity.Error
        assert wrong.range.start.line == 1
        assert wrong.source == "cuvier"
        assert await one.lenses() == {}

    (tmp_path / "a.c").write_text(SUM)
    session(tmp_path / "a.c", steps)
