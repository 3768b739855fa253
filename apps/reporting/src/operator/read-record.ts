import { MalformedJsonError, parseJson, type Issue, type Resource, type WireJson } from '@ssb/market';
import { ProblemException } from '@ssb/platform';

/** Enough to mend a record by; all of them could be a longer text than the record. */
export const MOST_ISSUES = 20;

/** Reads a body in the strict form. @throws ProblemException 400 for what is no JSON, 422 with the path of each wrong field */
export function readRecord<T>(resource: Resource<T>, body: unknown): T {
  const reading = resource.readStrict(wireOf(body));
  if (!reading.ok) throw refused(resource.name, reading.issues);
  return reading.value;
}

function wireOf(body: unknown): WireJson {
  if (typeof body !== 'string') throw new ProblemException(400, 'Bad request', 'A JSON body is needed.');
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof MalformedJsonError)) throw error;
    throw new ProblemException(400, 'Bad request', error.message);
  }
}

export function refused(name: string, all: readonly Issue[]): ProblemException {
  const issues = all.slice(0, MOST_ISSUES);
  const detail = issues
    .map(({ path, message }) => `${path === '' ? 'the body' : path}: ${message}`)
    .join('; ');
  return new ProblemException(422, 'Unprocessable content', `This is no ${name}: ${detail}.`, {
    issues,
  });
}
