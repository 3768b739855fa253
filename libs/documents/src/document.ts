/** What a document belongs to. A later kind can keep other records of the operator. */
export interface DocumentKey {
  readonly kind: DocumentKind;
  readonly participant: string;
  readonly market: string;
  /** First trading day of the period, `yyyy-MM-dd`. */
  readonly periodFrom: string;
  readonly designation: string;
  /** The operator's identifier: of an invoice, its id. */
  readonly reference: string;
  /** Digest of the version that the document belongs to. */
  readonly version: string;
}

export const DOCUMENT_KINDS = ['invoice'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** The media type of the documents of each kind. */
export const MEDIA_TYPES = { invoice: 'application/pdf' } as const satisfies Readonly<
  Record<DocumentKind, string>
>;

/** A document without its bytes. */
export interface DocumentRecord extends DocumentKey {
  /** UUID: the id of the event that announces the document. */
  readonly id: string;
  /** Of the bytes, hexadecimal. */
  readonly sha256: string;
  readonly bytes: number;
  /** RFC 3339 in UTC with milliseconds. */
  readonly storedAt: string;
}

/** Names the document of a key in a log, such as `WEM/2026-03-01/INITIAL/INV-1`. */
export function nameDocument({ market, periodFrom, designation, reference }: DocumentKey): string {
  return [market, periodFrom, designation, reference].join('/');
}
