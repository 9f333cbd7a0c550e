"""The application: a page, and below it the addresses where work is asked for; answers are told while they are made."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import partial
from typing import Any

from pydantic import JsonValue, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from unfooled.play.game import ADDRESSES, Address, Game
from unfooled.play.line import Crowded, Errand, WaitingLine
from unfooled.play.page import page, policy
from unfooled.play.wording import say

MOST_BYTES = 200_000
PATIENCE = 10.0  # seconds in which a question must have arrived
BEAT = 0.25  # seconds between two looks whether somebody still listens
ENDS = ("done", "error", "stopped")


class Refused(Exception):
    """A question that gets a sentence instead of an answer."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def application(game: Game, line: WaitingLine) -> Starlette:
    """The page and every address of the game."""
    whole, allowed = page(), policy()

    async def first(request: Request) -> Response:
        return HTMLResponse(whole, headers={"content-security-policy": allowed})

    routes = [Route("/", first, methods=["GET"])]
    routes += [
        Route(f"/{name}", partial(worked, game, line, address), methods=["POST"])
        for name, address in ADDRESSES.items()
    ]  # fmt: skip
    return Starlette(
        routes=routes,
        exception_handlers={Refused: refused, HTTPException: unknown, ClientDisconnect: gone, Exception: broken},
    )


async def worked(game: Game, line: WaitingLine, address: Address, request: Request) -> Response:
    """Stand in the queue with a question; its answer is a stream of events."""
    form, work = address
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused(415, say("refused.type"))
    try:
        asked = form.model_validate_json(await asyncio.wait_for(body_of(request), PATIENCE))
    except ValidationError as error:
        raise Refused(422, complaint(error)) from None
    except TimeoutError:
        raise Refused(408, say("refused.slow")) from None
    events: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def tell(name: str, data: JsonValue) -> None:
        text = json.dumps(data, allow_nan=False)  # here, so that what cannot be told is the errand's own fault
        with suppress(RuntimeError):  # at the end nobody listens
            loop.call_soon_threadsafe(events.put_nowait, (name, text))

    errand = Errand(partial(run, work, game, asked), tell)
    try:
        line.join(errand)
    except Crowded:
        raise Refused(429, say("refused.crowded")) from None
    return StreamingResponse(told(request, line, errand, events), media_type="text/event-stream")


def run(work: Any, game: Game, asked: Any, errand: Errand) -> JsonValue:
    """Do what was asked for."""
    answer: JsonValue = work(game, asked, errand)
    return answer


async def told(
    request: Request, line: WaitingLine, errand: Errand, events: asyncio.Queue[tuple[str, str]]
) -> AsyncIterator[str]:
    """What happens to an errand, as server-sent events; when nobody listens any more it ends."""
    try:
        while not await request.is_disconnected():
            try:
                name, text = await asyncio.wait_for(events.get(), BEAT)
            except TimeoutError:
                yield ": still here\n\n"
                continue
            yield f"event: {name}\ndata: {text}\n\n"
            if name in ENDS:
                return
    finally:
        line.halt(errand)


async def body_of(request: Request) -> bytes:
    """What was sent, if it is not too much."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise Refused(413, say("refused.size", most=f"{MOST_BYTES:,}"))
    return bytes(body)


def complaint(error: ValidationError) -> str:
    """What is wrong with a question, in one sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    own = first.get("ctx", {}).get("error")
    if isinstance(own, ValueError):
        return str(own)
    place = ".".join(str(part)[:40] for part in first["loc"])
    return say("malformed", place=place or say("whole"), reason=first["msg"])


async def refused(request: Request, error: Exception) -> Response:
    """A sentence, with its status."""
    return JSONResponse({"error": str(error)}, getattr(error, "status", 400))


async def unknown(request: Request, error: Exception) -> Response:
    """An address or a way of asking that there is not."""
    status = getattr(error, "status_code", 404)
    headers = getattr(error, "headers", None)
    return JSONResponse({"error": say("refused.method" if status == 405 else "refused.address")}, status, headers)


async def gone(request: Request, error: Exception) -> Response:
    """Whoever asked went away before the question was whole."""
    return JSONResponse({"error": say("refused.slow")}, 400)


async def broken(request: Request, error: Exception) -> Response:
    """What nobody foresaw is said without its insides."""
    return JSONResponse({"error": say("broken")}, 500)
