import { DOCUMENT_KINDS, type DocumentKey, type DocumentRecord } from '../document.js';

/** All documents. The key of an object holds everything that is known of a document, so that a list reads no object. */
export const DOCUMENTS = 'documents/';

/** The object that names the key of a document, by the id of the document. */
export function idKey(id: string): string {
  return `ids/${id.slice(0, 2)}/${id}`;
}

/** Documents of a participant. */
export function participantPrefix(kind: string, participant: string): string {
  return `${DOCUMENTS}${kind}/${encode(participant)}/`;
}

/** The folder of the document that a key has. */
export function keyPrefix({ kind, ...key }: DocumentKey): string {
  const { participant, market, periodFrom, designation, reference, version } = key;
  const rest = [market, periodFrom, designation, reference, version].map(encode).join('/');
  return `${participantPrefix(kind, participant)}${rest}/`;
}

export function contentKey(record: DocumentRecord): string {
  const { id, sha256, bytes, storedAt } = record;
  return `${keyPrefix(record)}${storedAt.replace(/[-:.]/g, '')}_${id}_${sha256}_${bytes}`;
}

const NAME =
  /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})Z_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})_([0-9a-f]{64})_(\d{1,12})$/;

/** Undefined for an object that is not a document. */
export function parseContentKey(key: string): DocumentRecord | undefined {
  const parts = key.startsWith(DOCUMENTS) ? key.slice(DOCUMENTS.length).split('/') : [];
  const [kindName, ...encoded] = parts.slice(0, -1);
  const kind = DOCUMENT_KINDS.find((each) => each === kindName);
  const match = NAME.exec(parts.at(-1) ?? '');
  if (kind === undefined || match === null || encoded.length !== 6) return undefined;
  const [participant = '', market = '', periodFrom = '', designation = '', reference = '', version = ''] =
    encoded.map(decode);
  const [, year, month, day, hours, minutes, seconds, ms, id = '', sha256 = '', bytes] = match;
  const storedAt = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}.${ms}Z`;
  return {
    kind,
    participant,
    market,
    periodFrom,
    designation,
    reference,
    version,
    id,
    sha256,
    bytes: Number(bytes),
    storedAt,
  };
}

/** File systems limit a name to 255 bytes. */
const MAX_ENCODED = 200;

/** Each byte outside of letters, digits, `-` and `_` becomes `~` and two digits. A long text becomes base64url after `~_`. */
function encode(text: string): string {
  const encoded = text.replace(/[^A-Za-z0-9_-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `~${byte.toString(16).padStart(2, '0')}`).join(''),
  );
  if (encoded.length > MAX_ENCODED) return `~_${Buffer.from(text).toString('base64url')}`;
  return encoded === '' ? '~' : encoded;
}

function decode(encoded: string): string {
  if (encoded === '~') return '';
  if (encoded.startsWith('~_')) return Buffer.from(encoded.slice(2), 'base64url').toString('utf8');
  return decodeURIComponent(encoded.replaceAll('~', '%'));
}
