import type { ZodType } from 'zod';
import { invalidRequest } from '../domain/gateway-failure.js';

/** @throws GatewayFailure 400 that names each wrong field; values are not repeated, they may be secret */
export function parse<T>(schema: ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => ({ field: path.join('.'), message }));
  const reason = problems.map(({ field, message }) => (field ? `${field}: ${message}` : message)).join('; ');
  throw invalidRequest(reason, problems);
}
