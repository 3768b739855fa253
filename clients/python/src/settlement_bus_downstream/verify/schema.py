"""Events against the JSON Schema (draft-07) of their type."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import islice
from typing import Any, cast

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError

from ..definitions import read_schema

MAX_PROBLEMS = 5


@cache
def validator_of(event_type: str) -> Draft7Validator | None:
    """Compiled once for each type; None when the catalogue has no such type."""
    schema = read_schema(event_type)
    return None if schema is None else Draft7Validator(schema)


def find_problems(validator: Draft7Validator, event: Mapping[str, Any]) -> list[str]:
    """What does not match, at most five. Each names a path and a keyword, never a value."""
    return [describe(problem) for problem in islice(validator.iter_errors(event), MAX_PROBLEMS)]


def describe(problem: ValidationError) -> str:
    """The place (RFC 6901) and the keyword of the schema that it violates."""
    place = "".join(f"/{str(name).replace('~', '~0').replace('/', '~1')}" for name in problem.absolute_path)
    if problem.validator == "required":
        return f"{place or '/'} lacks {', '.join(missing_members(problem))}"
    return f"{place or '/'} does not match {problem.validator} of its schema"


def missing_members(problem: ValidationError) -> list[str]:
    """The required members that an object lacks."""
    required: Any = problem.validator_value
    return [name for name in required if name not in cast(Any, problem.instance)]
