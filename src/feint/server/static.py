"""Serve the pages' scripts and styles, under an address that changes with their content."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.exceptions import HTTPException

router = APIRouter(include_in_schema=False)
_KINDS = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_FOREVER = "public, max-age=31536000, immutable"


@lru_cache(1)
def held() -> dict[str, bytes]:
    """Return all files by name."""
    folder = files("feint.server").joinpath("static")
    return {each.name: each.read_bytes() for each in folder.iterdir() if _kind(each.name)}


@lru_cache(1)
def version() -> str:
    """Return the version in the address of every file, a digest of all of them."""
    every = blake2b(digest_size=6)
    for name, content in sorted(held().items()):
        every.update(name.encode() + b"\0" + content)
    return every.hexdigest()


@router.get("/static/{made}/{name}")
def file(made: str, name: str) -> Response:
    """Return a file; one of the current version may be cached forever."""
    content = held().get(name)
    if content is None:
        raise HTTPException(404)
    # otherwise `guard` sets the header
    keep = {"Cache-Control": _FOREVER} if made == version() else {}
    return Response(content, media_type=_kind(name), headers=keep)


def _kind(name: str) -> str | None:
    return _KINDS.get(name.rpartition(".")[2])
