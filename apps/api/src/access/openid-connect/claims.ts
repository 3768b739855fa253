import { isAccessName, type AccessGrant, type OpenIdConnectAccess } from '@ssb/keys';
import { MAX_CODE_LENGTH } from '../../http/texts.js';

export type Claims = Readonly<Record<string, unknown>>;

const MAX_PARTICIPANTS = 1_000;

/** What the claims of a verified token grant; undefined when a claim is missing. */
export function grantOf(claims: Claims, access: OpenIdConnectAccess): AccessGrant | undefined {
  const [name] = readTexts(claims, access.nameClaim);
  const role = findRole(readTexts(claims, access.roleClaim), access);
  const participants = findParticipants(readTexts(claims, access.participantsClaim), access);
  if (name === undefined || !isAccessName(name) || role === undefined || participants === undefined)
    return undefined;
  return { name, role, participants };
}

function findRole(
  values: readonly string[],
  { operatorValues, viewerValues }: OpenIdConnectAccess,
): AccessGrant['role'] | undefined {
  if (values.some((value) => operatorValues.includes(value))) return 'operator';
  return values.some((value) => viewerValues.includes(value)) ? 'viewer' : undefined;
}

function findParticipants(
  values: readonly string[],
  { allParticipantsValue }: OpenIdConnectAccess,
): AccessGrant['participants'] | undefined {
  if (allParticipantsValue !== undefined && values.includes(allParticipantsValue)) return 'all';
  // `*` belongs to no single participant.
  const codes = values.filter((code) => code !== '' && code !== '*' && code.length <= MAX_CODE_LENGTH);
  return codes.length === 0 || codes.length > MAX_PARTICIPANTS ? undefined : codes;
}

/** The texts of a claim: a list of texts, or one text. `scope` has its values in one text (RFC 8693 §4.2). */
function readTexts(claims: Claims, name: string): string[] {
  const value = Object.hasOwn(claims, name) ? claims[name] : findMember(claims, name.split('.'));
  if (typeof value === 'string') return name === 'scope' ? value.split(' ') : [value];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function findMember(claims: Claims, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Claims)[name]
        : undefined,
    claims,
  );
}
