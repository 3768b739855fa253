"""Events against the JSON Schema (draft-07) of their type, with the sentences of the npm package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any, cast

from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError

from ..definitions import read_schema

MAX_PROBLEMS = 5
# Keywords of any type, and those of one type, in the order of Ajv.
ANY_TYPE = ("const", "enum", "not", "oneOf")
OF_TYPE = {
    "number": ("maximum", "minimum"),
    "string": ("maxLength", "minLength", "pattern"),
    "array": ("maxItems", "items"),
    "object": ("required", "additionalProperties", "properties"),
}
ORDER = (*ANY_TYPE, "type", *(keyword for keywords in OF_TYPE.values() for keyword in keywords))
SENTENCES = {
    "additionalProperties": "must NOT have additional properties",
    "const": "must be equal to constant",
    "enum": "must be equal to one of the allowed values",
    "maximum": "must be <= {}",
    "maxItems": "must NOT have more than {} items",
    "maxLength": "must NOT have more than {} characters",
    "minimum": "must be >= {}",
    "minLength": "must NOT have fewer than {} characters",
    "not": "must NOT be valid",
    "oneOf": "must match exactly one schema in oneOf",
    "pattern": 'must match pattern "{}"',
    "required": "must have required property '{}'",
    "type": "must be {}",
}


@cache
def validator_of(event_type: str) -> Draft7Validator | None:
    """Compiled once for each type; None when the catalogue has no such type."""
    schema = read_schema(event_type)
    return None if schema is None else Draft7Validator(_in_order(schema))


def find_problems(validator: Draft7Validator, event: Mapping[str, Any]) -> list[str]:
    """What does not match, at most five. Each names a path and a rule, never a value."""
    return list(islice(_describe(validator.iter_errors(event)), MAX_PROBLEMS))


def missing_members(problem: ValidationError) -> list[str]:
    """The required members that an object lacks."""
    required: Any = problem.validator_value
    return [name for name in required if name not in cast(Any, problem.instance)]


def _in_order(schema: Any) -> Any:
    """The schema with its keywords in the order in which Ajv checks them."""
    if not isinstance(schema, dict):
        return [_in_order(each) for each in schema] if isinstance(schema, list) else schema
    has_rules_of_type = any(keyword in schema for keyword in OF_TYPE.get(str(schema.get("type")), ()))
    ranks = {keyword: rank for rank, keyword in enumerate(ORDER) if keyword != "type" or has_rules_of_type}
    ordered = {keyword: schema[keyword] for keyword in sorted(schema, key=lambda each: ranks.get(each, -1))}
    members = {name: _in_order(member) for name, member in schema.get("properties", {}).items()}
    return {keyword: members if keyword == "properties" else _in_order(value) for keyword, value in ordered.items()}


def _describe(problems: Iterable[ValidationError]) -> Iterator[str]:
    """The place (RFC 6901) and the rule of each problem."""
    missing: dict[tuple[object, ...], Iterator[str]] = {}
    for problem in problems:
        yield from _describe(problem.context or ())
        place = "".join(f"/{_escape(str(name))}" for name in problem.absolute_path) or "/"
        rule: Any = problem.validator_value
        if problem.validator == "required":
            # There is one problem for each member.
            key = (place, *problem.absolute_schema_path)
            rule = next(missing.setdefault(key, iter(missing_members(problem))))
        sentence = f"{place} {SENTENCES.get(str(problem.validator), 'is wrong').format(rule)}"
        yield from [sentence] * (_count_unknown(problem) if problem.validator == "additionalProperties" else 1)


def _count_unknown(problem: ValidationError) -> int:
    known = cast(Mapping[str, Any], problem.schema)["properties"]
    return sum(name not in known for name in cast(Any, problem.instance))


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
