import { ValidationPipe, type ArgumentMetadata } from '@nestjs/common';
import type { MetadataStorage, ValidationError } from 'class-validator';
import { InvalidRequestError, unknownField, type RequestFault } from '../http-errors/problem-exception.js';

/** What happens to a field that a DTO class does not declare. */
export type UnknownFields = 'refuse' | 'ignore';

/** Limits of one body or query. class-transformer is recursive, and quadratic in the fields of an object. */
const MAX_VALUES = 5_000;
const MAX_DEPTH = 20;
/** Nest removes these silently. */
const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype'];
/** Faults in one response. */
const MAX_FAULTS = 20;

/** Validates every body and query whose handler declares a DTO class, and passes on an instance of the class. */
export class RequestValidationPipe extends ValidationPipe {
  constructor(unknownFields: UnknownFields) {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: unknownFields === 'refuse',
      stopAtFirstError: true,
      validationError: { target: true, value: false },
      exceptionFactory: toError,
    });
  }

  /** @throws InvalidRequestError */
  override transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.metatype !== undefined && this.toValidate(metadata)) {
      const message = findStructureFault(value, metadata.type);
      if (message !== undefined) throw new InvalidRequestError([{ path: '', message }]);
    }
    return super.transform(value, metadata);
  }
}

/** What is wrong with the value as a whole; undefined when its structure is acceptable. */
function findStructureFault(value: unknown, type: ArgumentMetadata['type']): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return `The ${type} must be a JSON object`;
  const pending: { readonly container: object; readonly depth: number }[] = [{ container: value, depth: 1 }];
  let values = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { container, depth } = next;
    const children: unknown[] = Object.values(container);
    values += children.length;
    if (values > MAX_VALUES) return `The ${type} must have at most ${MAX_VALUES} values`;
    const key = PROTOTYPE_KEYS.find((name) => Object.hasOwn(container, name));
    if (key !== undefined) return `The ${type} must not have a field named ${key}`;
    if (depth > MAX_DEPTH) return `The ${type} must be at most ${MAX_DEPTH} levels deep`;
    for (const child of children)
      if (typeof child === 'object' && child !== null) pending.push({ container: child, depth: depth + 1 });
  }
  return undefined;
}

async function toError(errors: readonly ValidationError[]): Promise<InvalidRequestError> {
  // Apps without DTO classes do not load it.
  const { getMetadataStorage } = await import('class-validator');
  return new InvalidRequestError(toFaults(errors, getMetadataStorage()).slice(0, MAX_FAULTS));
}

function toFaults(errors: readonly ValidationError[], storage: MetadataStorage, parent = ''): RequestFault[] {
  return errors.flatMap(({ property, constraints = {}, children = [], target }) => {
    if (UNKNOWN in constraints) return [unknownField(property, declaredFields(target, storage), parent)];
    const path = `${parent}${property}`;
    const own = Object.values(constraints).map((message) => ({
      path,
      message: withPath(message, property, path),
    }));
    return [...own, ...toFaults(children, storage, `${path}.`)];
  });
}

/** class-validator's name of the constraint that an undeclared field breaks. */
const UNKNOWN = 'whitelistValidation';

function declaredFields(target: object | undefined, storage: MetadataStorage): readonly string[] {
  const type = target?.constructor;
  if (type === undefined) return [];
  const declared = storage.getTargetValidationMetadatas(type, '', true, false);
  return [...new Set(declared.map(({ propertyName }) => propertyName))].toSorted();
}

/** class-validator names the field alone: `schema must be a string`. */
function withPath(message: string, property: string, path: string): string {
  return ` ${message}`.replace(` ${property} `, () => ` ${path} `).slice(1);
}
