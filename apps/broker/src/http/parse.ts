import { z } from 'zod';
import { BusError } from '../bus-error.js';

/**
 * Reads a body or query by its schema.
 * @throws BusError BUS::INVALID_REQUEST with the path of each problem
 */
export function parse<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const result = schema.safeParse(value ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = problems;
  throw new BusError(
    'BUS::INVALID_REQUEST',
    first ? `${first.path || 'The request'}: ${first.message}.` : 'The request is malformed.',
    { problems },
  );
}
