"""The server: analyses what an editor shows, as it is there and not on the disk, and answers questions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from cuvier.base.version import __version__
from cuvier.document.json import known_of, unit_json
from cuvier.lsp import answers
from cuvier.lsp.answers import Known
from cuvier.machine.store import load
from cuvier.pipeline.driver import analyse_file, weighed
from species.analysis.options import AnalysisOptions
from species.source import PreprocessOptions

PAUSE = 0.4  # seconds without a change before a file is analysed again
Analyse = Callable[[Path, str], Known]


def analysing(options: PreprocessOptions, analysis: AnalysisOptions) -> Analyse:
    """The analysis of a file with a text, for the user's machine."""
    machine = load(None)

    def analyse(path: Path, text: str) -> Known:
        result = analyse_file(path, options, analysis, text)
        facts = weighed(result, machine)
        return Known(text, unit_json(facts, known_of(facts, text, result.unit)))

    return analyse


class Server(LanguageServer):
    """A language server that knows the files that are open.

    What it says of a file is always about the text that it has analysed; while that is not the text in the
    editor, it has nothing to say.
    """

    def __init__(self, analyse: Analyse) -> None:
        super().__init__("cuvier", __version__)
        self._analyse = analyse
        self._known: dict[str, Known] = {}
        self._one_at_a_time = asyncio.Lock()

    async def changed(self, uri: str, pause: float) -> None:
        """Analyse a file, unless it changes again within `pause` seconds."""
        document = self.workspace.get_text_document(uri)
        text, path = document.source, to_fs_path(uri)
        await asyncio.sleep(pause)
        if path is None or self.workspace.get_text_document(uri).source != text:
            return
        async with self._one_at_a_time:
            known = await asyncio.to_thread(self._analyse, Path(path), text)
        self._known[uri] = known
        found = answers.diagnostics(known)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, found))
        capabilities = self.client_capabilities.workspace
        if capabilities and capabilities.code_lens and capabilities.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def known(self, uri: str) -> Known | None:
        """What is known of the text in the editor."""
        known = self._known.get(uri)
        return known if known and known.text == self.workspace.get_text_document(uri).source else None

    def forget(self, uri: str) -> None:
        """The file is closed."""
        self._known.pop(uri, None)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))


def make_server(analyse: Analyse) -> Server:
    """A server with its features."""
    server = Server(analyse)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: types.DidOpenTextDocumentParams) -> None:
        await server.changed(params.text_document.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def edited(params: types.DidChangeTextDocumentParams) -> None:
        await server.changed(params.text_document.uri, PAUSE)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        await server.changed(params.text_document.uri, 0)  # headers may have changed, too

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        server.forget(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lens(params: types.CodeLensParams) -> list[types.CodeLens]:
        known = server.known(params.text_document.uri)
        return answers.lenses(known) if known else []

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(params: types.HoverParams) -> types.Hover | None:
        known = server.known(params.text_document.uri)
        return answers.hover(known, params.position.line) if known else None

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION)
    def action(params: types.CodeActionParams) -> list[types.CodeAction]:
        known = server.known(params.text_document.uri)
        lines = params.range.start.line, params.range.end.line
        return answers.actions(known, params.text_document.uri, *lines) if known else []

    return server
