import type { z } from 'zod';
import { InvalidRequestError } from '../http-errors/problem-exception.js';

/**
 * Reads a body or query of the management port. Apps without DTO classes do not load class-validator.
 * @throws InvalidRequestError
 */
export function parseRequest<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidRequestError(
    parsed.error.issues.map(({ path, message }) => {
      const name = path.join('.');
      return { path: name, message: name === '' ? message : `${name}: ${message}` };
    }),
  );
}
