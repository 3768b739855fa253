import { z } from 'zod';
import { parseSaved } from '../state/parse-saved.js';

/** Version of the saved form. The text of a later version is not read. */
const VERSION = 1;

/**
 * Why the document of an invoice is missing. not-served: the operator has none. failed: the request failed, or the invoice was not confirmed.
 * refused: the response is not a complete PDF. not-stored: the store does not take this one.
 */
export const MISSING_REASONS = ['not-served', 'failed', 'refused', 'not-stored'] as const;

/** Why a document is no longer requested. old: its invoice was old when it was seen. replaced: by another version of the invoice. */
export const GIVEN_UP_REASONS = [...MISSING_REASONS, 'old', 'replaced'] as const;
export type GivenUpReason = (typeof GIVEN_UP_REASONS)[number];

const MAX_DETAIL_LENGTH = 300;

const missing = z
  .object({
    reason: z.enum(MISSING_REASONS),
    /** One sentence, without payload and secrets. */
    detail: z.string().max(MAX_DETAIL_LENGTH),
    attempts: z.int().min(1),
    nextAt: z.iso.datetime(),
  })
  .readonly();

const documentState = z
  .object({
    version: z.literal(VERSION),
    /** The version of the invoice. */
    invoice: z.object({ id: z.string(), digest: z.string() }).readonly(),
    /** Absent once the document is stored or given up. */
    missing: missing.optional(),
    givenUp: z.enum(GIVEN_UP_REASONS).optional(),
  })
  .readonly();

/** Whether the document of a version of an invoice is stored. */
export type DocumentState = z.infer<typeof documentState>;
export type MissingDocument = NonNullable<DocumentState['missing']>;

export type InvoiceVersionName = DocumentState['invoice'];

/** The document of an invoice version that is missing and no longer requested. */
export interface GivenUp {
  readonly part: string;
  readonly invoice: InvoiceVersionName;
  readonly reason: GivenUpReason;
}

/** @returns undefined when the text is not a state of a known release */
export function parseDocumentState(text: string): DocumentState | undefined {
  return parseSaved(documentState, text);
}

export function storedState(invoice: InvoiceVersionName): DocumentState {
  return { version: VERSION, invoice };
}

export function givenUpState(invoice: InvoiceVersionName, givenUp: GivenUpReason): DocumentState {
  return { version: VERSION, invoice, givenUp };
}

/** @param previous of the same version. The next attempt comes after the interval of a retry, which doubles up to the maximum. */
export function missingState(
  previous: DocumentState | undefined,
  invoice: InvoiceVersionName,
  { reason, detail }: Pick<MissingDocument, 'reason' | 'detail'>,
  { now, retryMs, maxMs }: { readonly now: Date; readonly retryMs: number; readonly maxMs: number },
): DocumentState {
  const known = previous?.missing;
  const attempts = (known?.attempts ?? 0) + 1;
  const delayMs = Math.min(maxMs, retryMs * 2 ** Math.min(attempts - 1, 30));
  return {
    version: VERSION,
    invoice,
    missing: {
      reason,
      detail: detail.slice(0, MAX_DETAIL_LENGTH),
      attempts,
      nextAt: new Date(now.getTime() + delayMs).toISOString(),
    },
  };
}

export function isOf({ invoice }: DocumentState, { id, digest }: InvoiceVersionName): boolean {
  return invoice.id === id && invoice.digest === digest;
}

/** @param state of the present version. A time far ahead is one of a clock that was set back, so the document is due. */
export function isDocumentDue(state: DocumentState | undefined, now: Date, maxMs: number): boolean {
  if (state === undefined) return true;
  if (state.missing === undefined) return false;
  const left = Date.parse(state.missing.nextAt) - now.getTime();
  return left <= 0 || left > maxMs;
}
