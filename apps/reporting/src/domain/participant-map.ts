import { parseSubjectText, subjectKey, type NameAttribute } from './distinguished-name.js';
import { isParticipantCode } from './participant-name.js';
import { readThumbprint } from './thumbprint.js';

/** Which participant a certificate belongs to, told certificate by certificate instead of by what stands in it. */
export interface ParticipantMap {
  /** By SHA-256, base64url. */
  byThumbprint: ReadonlyMap<string, string>;
  /** By `subjectKey`. */
  bySubject: ReadonlyMap<string, string>;
}

export const NO_MAP: ParticipantMap = { byThumbprint: new Map(), bySubject: new Map() };

/** A map of certificates to participants that cannot be used; `problems` are sentences for the operator. */
export class ParticipantMapError extends Error {
  override readonly name = 'ParticipantMapError';

  constructor(readonly problems: readonly string[]) {
    super(problems.join(' '));
  }
}

/**
 * Reads a map of the form `{"byFingerprint": {"AB:CD:…": "WPGENCO"}, "bySubject": {"O=Genco, CN=client-7": "WPGENCO"}}`;
 * either part may be left out.
 * @throws ParticipantMapError naming every wrong entry
 */
export function parseParticipantMap(text: string): ParticipantMap {
  const { byFingerprint = {}, bySubject = {}, ...unknown } = objectIn(text);
  const problems = Object.keys(unknown).map((name) => `There is no part ${JSON.stringify(name)}.`);
  const map = {
    byThumbprint: entriesOf('byFingerprint', byFingerprint, readThumbprint, problems),
    bySubject: entriesOf('bySubject', bySubject, readSubject, problems),
  };
  if (problems.length > 0) throw new ParticipantMapError(problems);
  return map;
}

/** The participant of a certificate, by its fingerprint first: that names one certificate and no other. */
export function participantMapped(
  map: ParticipantMap,
  certificate: { thumbprint: string; names: { subject: readonly NameAttribute[] } },
): string | undefined {
  const byThumbprint = map.byThumbprint.get(certificate.thumbprint);
  if (byThumbprint !== undefined || map.bySubject.size === 0) return byThumbprint;
  return map.bySubject.get(subjectKey(certificate.names.subject));
}

function objectIn(text: string): Record<string, unknown> {
  const problem = new ParticipantMapError(['It is no JSON object.']);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch (error) {
    problem.cause = error;
  }
  throw problem;
}

function readSubject(text: string): string | undefined {
  const name = parseSubjectText(text);
  return name.length === 0 ? undefined : subjectKey(name);
}

function entriesOf(
  part: string,
  entries: unknown,
  readKey: (text: string) => string | undefined,
  problems: string[],
): Map<string, string> {
  const read = new Map<string, string>();
  if (typeof entries !== 'object' || entries === null || Array.isArray(entries)) {
    problems.push(`${part} is no JSON object.`);
    return read;
  }
  for (const [text, participant] of Object.entries(entries)) {
    const key = readKey(text);
    const entry = `${part} ${JSON.stringify(text)}`;
    if (key === undefined) problems.push(`${entry} cannot be read.`);
    else if (read.has(key)) problems.push(`${entry} is there twice.`);
    else if (typeof participant !== 'string' || !isParticipantCode(participant))
      problems.push(`${entry} is given no participant code of 1 to 60 printable characters.`);
    else read.set(key, participant);
  }
  return read;
}
